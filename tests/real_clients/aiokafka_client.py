#!/usr/bin/python3
"""The aiokafka client of the matrix (see README.md)."""
import asyncio
import os
import sys

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import CommitFailedError, KafkaError

from driven import read_records, run, say, say_record

PATIENCE_S = 60


class Client:
    """Each command is a run of the event loop to its end; nothing outlives a command."""

    def __init__(self, bootstrap):
        self.settings = {"bootstrap_servers": bootstrap}

    def __getattr__(self, command):
        """The command `x` is the coroutine `async_x`."""
        coroutine = object.__getattribute__(self, "async_" + command)
        return lambda *words: asyncio.run(coroutine(*words))

    async def async_hello(self):
        say("name", "aiokafka", aiokafka.__version__, "(Python)")
        say("codecs", "none", "gzip", "snappy", "lz4", "zstd")
        say("can", "create", "delete", "times", "null_headers", "idempotent")

    async def administer(self, act):
        admin = AIOKafkaAdminClient(**self.settings)
        await admin.start()
        try:
            answer = await act(admin)
        finally:
            await admin.close()
        # The rows of an answer are (topic, error[, text]); aiokafka leaves them to its caller.
        for topic, error, *text in getattr(answer, "topic_errors", None) or answer.topic_error_codes:
            if error:
                raise RuntimeError(f"{topic}: error {error} {text}")

    async def async_create(self, topic, partitions, *config):
        asked = NewTopic(topic, int(partitions), 1, topic_configs=dict(c.split("=") for c in config))
        await self.administer(lambda admin: admin.create_topics([asked]))

    async def async_delete(self, topic):
        await self.administer(lambda admin: admin.delete_topics([topic]))

    def producer(self, **settings):
        return AIOKafkaProducer(**self.settings, **settings)

    async def async_produce(self, topic, partition, codec, acks, idempotent, path):
        settings = {"compression_type": None if codec == "none" else codec, "linger_ms": 20,
                    "acks": acks if acks == "all" else int(acks),
                    "enable_idempotence": idempotent == "1"}
        async with self.producer(**settings) as producer:
            sent = [await producer.send(topic, value, key, int(partition), timestamp, headers)
                    for timestamp, key, value, headers in read_records(path)]
            await asyncio.wait_for(asyncio.gather(*sent), PATIENCE_S)

    def consumer(self):
        return AIOKafkaConsumer(**self.settings, group_id=None, check_crcs=True,
                                enable_auto_commit=False, auto_offset_reset="none",
                                fetch_max_wait_ms=200)

    async def async_consume(self, topic, partition, offset, count):
        asked, left = TopicPartition(topic, int(partition)), int(count)
        async with self.consumer() as consumer, asyncio.timeout(PATIENCE_S):
            consumer.assign([asked])
            consumer.seek(asked, int(offset))
            while left:
                record = await consumer.getone()
                say_record(record.offset, record.timestamp, record.key, record.value,
                           record.headers)
                left -= 1

    async def async_member(self, group, topic, until):
        consumer = AIOKafkaConsumer(topic, **self.settings, group_id=group, enable_auto_commit=False,
                                    auto_offset_reset="earliest", heartbeat_interval_ms=500,
                                    fetch_max_wait_ms=200)
        async with consumer:
            while not os.path.exists(until):
                for records in (await consumer.getmany(timeout_ms=200)).values():
                    for record in records:
                        say(record.partition, record.offset)
                    try:
                        await consumer.commit()
                    except CommitFailedError:
                        pass  # Who owns the partitions next reads these records again.

    async def async_time(self, topic, partition, timestamp):
        asked = TopicPartition(topic, int(partition))
        async with self.consumer() as consumer:
            found = (await consumer.offsets_for_times({asked: int(timestamp)}))[asked]
        say(found.offset if found else -1)

    async def async_too_large(self, topic, partition, size):
        async with self.producer(max_request_size=10_000_000) as producer:
            try:
                await producer.send_and_wait(topic, b"L" * int(size), b"key", int(partition))
                say("NO_ERROR")
            except KafkaError as error:
                say(type(error).__name__)
            await producer.send_and_wait(topic, b"after the large one", b"key", int(partition))

    async def async_endure(self, topic, partition, count, idempotent):
        # A timeout is also the limit on retries, of which aiokafka has no other.
        settings = {"acks": "all", "linger_ms": 5, "request_timeout_ms": 90_000,
                    "enable_idempotence": idempotent == "1"}
        async with self.producer(**settings) as producer:
            sent = []
            for index in range(int(count)):
                sent.append(await producer.send(topic, b"endure %d" % index, b"%d" % index,
                                                int(partition)))
                await asyncio.sleep(0.002)  # The load is to last until the broker was killed.
                if index % 100 == 99:
                    say("progress", index + 1)
            results = await asyncio.gather(*sent, return_exceptions=True)
        for index, result in enumerate(results):
            if isinstance(result, BaseException):
                say("failed", index, type(result).__name__)
            else:
                say("acked", index, result.offset)


if __name__ == "__main__":
    run(Client(sys.argv[1]))
