// The KafkaJS client of the matrix (see ../README.md).
const zlib = require("node:zlib");
const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = require("kafkajs");
const { version } = require("kafkajs/package.json");
const { appears, endure, readRecords, run, say, sayRead, words } = require("./driven.js");

const CODECS = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy, lz4: CompressionTypes.LZ4, zstd: CompressionTypes.ZSTD };
const ACKS = { all: -1, 1: 1, 0: 0 };
const GROUPS = "KafkaJS reads as a member of a group only";

// KafkaJS brings gzip; any other codec is the application's to plug in.
async function plugCodecs() {
  const { lz4Compress, snappyCompress } = await import(require.resolve("@platformatic/wasm-utils"));
  const plug = (compress) => () => ({ compress: async (encoder) => compress(encoder.buffer),
    decompress: async () => { throw new Error("this client only writes"); } });
  CompressionCodecs[CompressionTypes.Snappy] = plug(snappyCompress);
  CompressionCodecs[CompressionTypes.LZ4] = plug(lz4Compress);
  CompressionCodecs[CompressionTypes.ZSTD] = plug(zlib.zstdCompressSync);
}

class Client {
  constructor(bootstrap) {
    this.kafka = new Kafka({ clientId: "matrix", brokers: [bootstrap], logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 200 } });
  }

  hello() {
    say("name", "KafkaJS", version, "(JavaScript)");
    say("codecs", ...Object.keys(CODECS));
    say("can", "create", "delete", "times", "idempotent");
    say("cannot", "reads the others:", GROUPS);
    say("cannot", "seek offset:", GROUPS);
    say("sees", "headers_by_name");
  }

  async administer(act) {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await act(admin);
    } finally {
      await admin.disconnect();
    }
  }

  async create(topic, partitions, ...configs) {
    const configEntries = configs.map((config) => {
      const [name, value] = config.split("=");
      return { name, value };
    });
    await this.administer((admin) => admin.createTopics({ waitForLeaders: false, topics: [
      { topic, numPartitions: Number(partitions), replicationFactor: 1, configEntries }] }));
  }

  async delete(topic) {
    await this.administer((admin) => admin.deleteTopics({ topics: [topic] }));
  }

  // act(send): send(records) resolves to the offset of the first record, -1 without acknowledgement.
  async producing({ topic, partition, codec = "none", acks = "all", idempotent = "0" }, act) {
    const producer = this.kafka.producer({ idempotent: idempotent === "1" });
    await producer.connect();
    try {
      await act(async (records) => {
        const messages = records.map((record) => ({ ...record, partition: Number(partition),
          timestamp: String(record.timestamp), headers: Object.fromEntries(record.headers) }));
        const [answer] = await producer.send({ topic, messages, acks: ACKS[acks],
          compression: CODECS[codec] });
        return answer?.baseOffset ?? -1;
      });
    } finally {
      await producer.disconnect();
    }
  }

  async produce(topic, partition, codec, acks, idempotent, path) {
    await this.producing({ topic, partition, codec, acks, idempotent },
                         (send) => send(readRecords(path)));
  }

  async member(group, topic, until) {
    const consumer = this.kafka.consumer({ groupId: group, heartbeatInterval: 500,
      maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommitThreshold: 1,
      eachMessage: async ({ partition, message }) => sayRead(partition, message.offset) });
    await appears(until);
    await consumer.disconnect();
  }

  // Where no record is late enough, KafkaJS answers the log's end in the place of Kafka's -1.
  async time(topic, partition, timestamp) {
    await this.administer(async (admin) => {
      const of = (rows) => rows.find((row) => row.partition === Number(partition)).offset;
      const found = of(await admin.fetchTopicOffsetsByTimestamp(topic, Number(timestamp)));
      say(found === of(await admin.fetchTopicOffsets(topic)) ? -1 : found);
    });
  }

  async too_large(topic, partition, size) {
    await this.producing({ topic, partition }, async (send) => {
      const record = { key: null, timestamp: Date.now(), headers: [] };
      try {
        await send([{ ...record, value: Buffer.alloc(Number(size), "L") }]);
        say("NO_ERROR");
      } catch (problem) {
        say(words(problem));
      }
      await send([{ ...record, value: Buffer.from("after the large one") }]);
    });
  }

  async endure(topic, partition, count, idempotent) {
    await this.producing({ topic, partition, idempotent }, (send) => endure(Number(count), send));
  }
}

plugCodecs().then(() => run(new Client(process.argv[2])));
