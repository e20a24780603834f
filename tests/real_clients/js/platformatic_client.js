// The @platformatic/kafka client of the matrix (see ../README.md).
const path = require("node:path");
const { appears, endure, readRecords, run, say, sayRead, sayRecord, words } = require("./driven.js");

const LIBRARY = require.resolve("@platformatic/kafka"); // It exports no package.json.
const { version } = require(path.join(path.dirname(LIBRARY), "../package.json"));

const ACKS = { all: -1, 1: 1, 0: 0 };
const MAX_BYTES = 10_000_000;
const PATIENCE_MS = 30_000;

class Client {
  constructor(library, bootstrap) {
    this.library = library;
    this.settings = { clientId: "matrix", bootstrapBrokers: [bootstrap], retries: 300,
      retryDelay: 200 };
  }

  hello() {
    say("name", "@platformatic/kafka", version, "(JavaScript)");
    say("codecs", "none", "gzip", "snappy", "lz4", "zstd");
    say("can", "create", "delete", "times", "null_headers", "idempotent");
  }

  async using(client, act) {
    try {
      return await act(client);
    } finally {
      await client.close();
    }
  }

  administer(act) {
    return this.using(new this.library.Admin(this.settings), act);
  }

  async create(topic, partitions, ...configs) {
    await this.administer((admin) => admin.createTopics({ topics: [topic],
      partitions: Number(partitions), replicas: 1, configs: configs.map((config) => {
        const [name, value] = config.split("=");
        return { name, value };
      }) }));
  }

  async delete(topic) {
    await this.administer((admin) => admin.deleteTopics({ topics: [topic] }));
  }

  // act(send): send(records) resolves to the offset of the first record, -1 without acknowledgement.
  producing({ topic, partition, codec = "none", acks = "all", idempotent = "0" }, act) {
    const producer = new this.library.Producer({ ...this.settings, acks: ACKS[acks],
      compression: codec, idempotent: idempotent === "1", maxInflights: 1 });
    return this.using(producer, () => act(async (records) => {
      const messages = records.map((record) => ({ ...record, topic, partition: Number(partition),
        timestamp: BigInt(record.timestamp), headers: new Map(record.headers) }));
      const answer = await producer.send({ messages });
      return answer.offsets?.[0]?.offset ?? -1;
    }));
  }

  async produce(topic, partition, codec, acks, idempotent, file) {
    await this.producing({ topic, partition, codec, acks, idempotent },
                         (send) => send(readRecords(file)));
  }

  consuming(act) {
    return this.using(new this.library.Consumer({ ...this.settings,
      groupId: "never-joined" }), act);
  }

  // Its streams join a group; its fetch, which they are built on, does not.
  async consume(topic, partition, offset, count) {
    await this.consuming(async (consumer) => {
      const { topics } = await consumer.metadata({ topics: [topic] });
      const { id, partitions } = topics.get(topic);
      const deadline = Date.now() + PATIENCE_MS;
      let next = BigInt(offset);
      for (let left = Number(count); left > 0;) {
        if (Date.now() > deadline) {
          throw new Error(`${left} records missing`);
        }
        const place = { partition: Number(partition), fetchOffset: next, currentLeaderEpoch: -1,
          lastFetchedEpoch: -1, partitionMaxBytes: MAX_BYTES };
        const answer = await consumer.fetch({ node: partitions[partition].leader, minBytes: 1,
          maxBytes: MAX_BYTES, maxWaitTime: 200, isolationLevel: 0,
          topics: [{ topicId: id, partitions: [place] }] });
        for (const batch of answer.responses[0]?.partitions[0]?.records ?? []) {
          for (const record of batch.records) {
            const at = batch.firstOffset + BigInt(record.offsetDelta);
            if (at >= next && left > 0) { // The first batch may begin before what was asked for.
              sayRecord(at, batch.firstTimestamp + record.timestampDelta, record.key, record.value,
                        record.headers);
              next = at + 1n;
              --left;
            }
          }
        }
      }
    });
  }

  async member(group, topic, until) {
    const consumer = new this.library.Consumer({ ...this.settings, groupId: group,
      heartbeatInterval: 500 });
    const stream = await consumer.consume({ topics: [topic], mode: "committed",
      fallbackMode: "earliest", autocommit: false, maxWaitTime: 200 });
    const reading = (async () => {
      for await (const message of stream) {
        sayRead(message.partition, message.offset);
        await message.commit();
      }
    })();
    await appears(until);
    await stream.close();
    await reading;
    await consumer.close();
  }

  async time(topic, partition, timestamp) {
    await this.consuming(async (consumer) => {
      const found = await consumer.listOffsetsWithTimestamps({ topics: [topic],
        partitions: { [topic]: [Number(partition)] }, timestamp: BigInt(timestamp) });
      say(found.get(topic).get(Number(partition)).offset);
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

import(LIBRARY).then((library) => run(new Client(library, process.argv[2])));
