#!/usr/bin/python3
"""The kafka-python client of the matrix (see README.md)."""
import os
import sys
import time

import kafka
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from kafka.codec import has_lz4, has_snappy, has_zstd
from kafka.errors import CommitFailedError, KafkaError

from driven import read_records, run, say, say_record

PATIENCE_S = 60
IN_FLIGHT = 200
HAS_IDEMPOTENCE = int(kafka.__version__.split(".")[0]) >= 3  # Then it is also the default.


class Client:
    def __init__(self, bootstrap):
        self.settings = {"bootstrap_servers": bootstrap, "reconnect_backoff_max_ms": 500}
        self.reader = None

    def hello(self):
        say("name", "kafka-python", kafka.__version__)
        optional = {"snappy": has_snappy(), "lz4": has_lz4(), "zstd": has_zstd()}
        say("codecs", "none", "gzip", *(name for name, there in optional.items() if there))
        say("can", "create", "delete", "times",
            *(["idempotent"] if HAS_IDEMPOTENCE else []))

    def administer(self, act):
        admin = KafkaAdminClient(**self.settings)
        try:
            act(admin)
        finally:
            admin.close()

    def create(self, topic, partitions, *config):
        asked = NewTopic(topic, int(partitions), 1, topic_configs=dict(c.split("=") for c in config))
        self.administer(lambda admin: admin.create_topics([asked], timeout_ms=30_000))

    def delete(self, topic):
        self.administer(lambda admin: admin.delete_topics([topic], timeout_ms=30_000))

    def producer(self, idempotent="0", **settings):
        if HAS_IDEMPOTENCE:
            settings["enable_idempotence"] = idempotent == "1"
        else:
            assert idempotent == "0", "kafka-python 2 has no idempotent producer"
        return KafkaProducer(**self.settings, **settings)

    def produce(self, topic, partition, codec, acks, idempotent, path):
        producer = self.producer(idempotent, linger_ms=20,
                                 compression_type=None if codec == "none" else codec,
                                 acks=acks if acks == "all" else int(acks))
        sent = [producer.send(topic, value, key, headers, int(partition), timestamp)
                for timestamp, key, value, headers in read_records(path)]
        producer.flush(PATIENCE_S)
        for future in sent:
            future.get(PATIENCE_S)
        producer.close()

    def consumer(self):
        if self.reader is None:
            self.reader = KafkaConsumer(**self.settings, group_id=None, check_crcs=True,
                                        enable_auto_commit=False, auto_offset_reset="none",
                                        fetch_max_wait_ms=200)
        return self.reader

    def consume(self, topic, partition, offset, count):
        consumer, left = self.consumer(), int(count)
        asked = TopicPartition(topic, int(partition))
        consumer.assign([asked])
        consumer.seek(asked, int(offset))
        deadline = time.monotonic() + PATIENCE_S / 2
        while left:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{left} records missing")
            for record in consumer.poll(500).get(asked, [])[:left]:
                say_record(record.offset, record.timestamp, record.key, record.value,
                           record.headers)
                left -= 1

    def member(self, group, topic, until):
        consumer = KafkaConsumer(topic, **self.settings, group_id=group, enable_auto_commit=False,
                                 auto_offset_reset="earliest", heartbeat_interval_ms=500,
                                 fetch_max_wait_ms=200)
        while not os.path.exists(until):
            for records in consumer.poll(200).values():
                for record in records:
                    say(record.partition, record.offset)
                try:
                    consumer.commit()
                except CommitFailedError:
                    pass  # Who owns the partitions next reads these records again.
        consumer.close()

    def time(self, topic, partition, timestamp):
        asked = TopicPartition(topic, int(partition))
        found = self.consumer().offsets_for_times({asked: int(timestamp)})[asked]
        say(found.offset if found else -1)

    def too_large(self, topic, partition, size):
        # Not idempotent: such a producer of version 3 repeats one record's error for all that follow.
        producer = self.producer(max_request_size=10_000_000)
        try:
            producer.send(topic, b"L" * int(size), b"key", partition=int(partition)).get(PATIENCE_S)
            say("NO_ERROR")
        except KafkaError as error:
            say(type(error).__name__)
        producer.send(topic, b"after the large one", b"key", partition=int(partition)).get(PATIENCE_S)
        producer.close()

    def endure(self, topic, partition, count, idempotent):
        producer = self.producer(idempotent, acks="all", retries=1000, retry_backoff_ms=50,
                                 linger_ms=5, max_in_flight_requests_per_connection=1,
                                 request_timeout_ms=90_000)
        sent = []
        for index in range(int(count)):
            sent.append(producer.send(topic, b"endure %d" % index, b"%d" % index,
                                      partition=int(partition)))
            if index >= IN_FLIGHT and not sent[index - IN_FLIGHT].is_done:
                self.outcome(sent[index - IN_FLIGHT])
            time.sleep(0.002)  # The load is to last until the broker was killed under it.
            if index % 100 == 99:
                say("progress", index + 1)
        for index, future in enumerate(sent):
            error, offset = self.outcome(future)
            say("failed", index, error) if error else say("acked", index, offset)
        producer.close()

    @staticmethod
    def outcome(future):
        try:
            return None, future.get(PATIENCE_S * 1.5).offset
        except KafkaError as error:
            return type(error).__name__, -1


if __name__ == "__main__":
    run(Client(sys.argv[1]))
