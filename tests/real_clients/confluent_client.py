#!/usr/bin/python3
"""The confluent-kafka client of the matrix (see README.md)."""
import os
import sys

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from driven import read_records, run, say, say_record

PATIENCE_S = 60
IN_FLIGHT = 200
# Of a commit that a rebalance overtook: who owns the partition next reads its records again.
OVERTAKEN = (KafkaError.ILLEGAL_GENERATION, KafkaError.REBALANCE_IN_PROGRESS,
             KafkaError.UNKNOWN_MEMBER_ID)


class Deliveries:
    """What became of each record: an error or an offset, by index."""

    def __init__(self, count):
        self.results = [("TIMED_OUT", -1)] * count

    def slot(self, index):
        def fill(error, message):
            self.results[index] = (error.name() if error else None, message.offset())
        return fill


class Client:
    def __init__(self, bootstrap):
        self.settings = {"bootstrap.servers": bootstrap, "reconnect.backoff.max.ms": 500,
                         "log_level": 3}
        self.reader = None

    def hello(self):
        say("name", "confluent-kafka", confluent_kafka.__version__, "(Python)")
        say("codecs", "none", "gzip", "snappy", "lz4", "zstd")
        say("can", "create", "delete", "times", "null_headers", "idempotent")

    def create(self, topic, partitions, *config):
        asked = NewTopic(topic, int(partitions), 1, config=dict(c.split("=") for c in config))
        admin = AdminClient(self.settings)  # Named, for its futures die with it.
        admin.create_topics([asked])[topic].result(PATIENCE_S)

    def delete(self, topic):
        admin = AdminClient(self.settings)
        admin.delete_topics([topic])[topic].result(PATIENCE_S)

    def produce(self, topic, partition, codec, acks, idempotent, path):
        producer = Producer(self.settings | {
            "compression.type": codec, "acks": acks, "linger.ms": 20,
            "enable.idempotence": idempotent == "1"})
        records = list(read_records(path))
        deliveries = Deliveries(len(records))
        for index, (timestamp, key, value, headers) in enumerate(records):
            producer.produce(topic, value, key, int(partition), timestamp=timestamp,
                             headers=headers, on_delivery=deliveries.slot(index))
        producer.flush(PATIENCE_S)
        for error, _ in deliveries.results:
            if error:
                raise RuntimeError(error)

    def consumer(self):
        if self.reader is None:
            self.reader = Consumer(self.settings | {
                "group.id": "assigned by hand, never joined", "enable.auto.commit": False,
                "auto.offset.reset": "error", "check.crcs": True, "fetch.wait.max.ms": 200})
        return self.reader

    def consume(self, topic, partition, offset, count):
        consumer, left = self.consumer(), int(count)
        consumer.assign([TopicPartition(topic, int(partition), int(offset))])
        while left:
            messages = consumer.consume(left, PATIENCE_S / 2)
            if not messages:
                raise TimeoutError(f"{left} records missing")
            for message in messages:
                if message.error():
                    raise KafkaException(message.error())
                say_record(message.offset(), message.timestamp()[1], message.key(),
                           message.value(), message.headers())
                left -= 1
        consumer.unassign()

    def member(self, group, topic, until):
        protocol = os.environ.get("GROUP_PROTOCOL")
        consumer = Consumer(self.settings | {
            "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False,
            "fetch.wait.max.ms": 200} | (
                {"group.protocol": protocol} if protocol else {"heartbeat.interval.ms": 500}))
        consumer.subscribe([topic])
        while not os.path.exists(until):
            message = consumer.poll(0.2)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            say(message.partition(), message.offset())
            try:
                consumer.commit(message, asynchronous=False)
            except KafkaException as problem:
                if problem.args[0].code() not in OVERTAKEN:
                    raise
        consumer.close()

    def time(self, topic, partition, timestamp):
        asked = TopicPartition(topic, int(partition), int(timestamp))
        found, = self.consumer().offsets_for_times([asked], PATIENCE_S)
        if found.error:
            raise KafkaException(found.error)
        say(found.offset if found.offset >= 0 else -1)

    def too_large(self, topic, partition, size):
        producer = Producer(self.settings | {"message.max.bytes": 10_000_000})
        deliveries = Deliveries(2)
        for index, value in enumerate((b"L" * int(size), b"after the large one")):
            producer.produce(topic, value, b"key", int(partition),
                             on_delivery=deliveries.slot(index))
            producer.flush(PATIENCE_S)
        say(deliveries.results[0][0])
        if deliveries.results[1][0]:
            raise RuntimeError(deliveries.results[1][0])

    def endure(self, topic, partition, count, idempotent):
        producer = Producer(self.settings | {
            "acks": "all", "enable.idempotence": idempotent == "1", "linger.ms": 5,
            "message.timeout.ms": 90_000})
        deliveries = Deliveries(int(count))
        for index in range(int(count)):
            producer.produce(topic, f"endure {index}", str(index), int(partition),
                             on_delivery=deliveries.slot(index))
            while len(producer) > IN_FLIGHT:
                producer.poll(0.1)
            producer.poll(0.002)
            if index % 100 == 99:
                say("progress", index + 1)
        producer.flush(PATIENCE_S * 1.5)
        for index, (error, offset) in enumerate(deliveries.results):
            say("failed", index, error) if error else say("acked", index, offset)


if __name__ == "__main__":
    run(Client(sys.argv[1]))
