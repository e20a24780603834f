"""Raw Produce requests that are legal and odd: repeated, empty, of formats long gone."""
import gzip
import struct
import zlib

from batches import batch, record
from cases_records import fetch, produce


def old_message(magic, value, timestamp):
    """A message of the formats before batches, in a set of one."""
    body = struct.pack(">bb", magic, 0) + (struct.pack(">q", timestamp) if magic else b"")
    body += struct.pack(">i", -1) + struct.pack(">i", len(value)) + value
    body = struct.pack(">I", zlib.crc32(body)) + body
    return struct.pack(">qi", 0, len(body)) + body


def odd_produces(s):
    s.topic("cmp-odd-produce", 3)
    now = s.now

    def ask(words, version, topics, acks=-1, timeout=5000, **extra):
        s.ask(words, "Produce", version, {"Acks": acks, "TimeoutMs": timeout, "TopicData": [
            {"Name": name, "PartitionData": [{"Index": index, "Records": records}
                                             for index, records in partitions]}
            for name, partitions in topics]} | extra)
    one = batch([now])
    for version in (3, 8, 11):
        ask("no topics", version, [])
        ask("no topics, acks 2", version, [], acks=2)
        ask("no partitions", version, [("cmp-odd-produce", [])])
        ask("a negative partition", version, [("cmp-odd-produce", [(-1, one)])])
        ask("the largest partition", version, [("cmp-odd-produce", [(2**31 - 1, one)])])
        ask("no name", version, [("", [(0, one)])])
        ask("acks 2, unknown topic", version, [("cmp-nobody", [(0, one)])], acks=2)
        ask("a topic twice", version, [("cmp-odd-produce", [(0, one)]), ("cmp-odd-produce", [(1, one)])])
        ask("a partition twice", version, [("cmp-odd-produce", [(0, one), (0, one)])])
    ask("no time", 11, [("cmp-odd-produce", [(0, one)])], timeout=0)
    ask("negative time", 11, [("cmp-odd-produce", [(0, one)])], timeout=-1)
    ask("a transactional id, nothing transactional", 11, [("cmp-odd-produce", [(2, one)])],
        TransactionalId="odd")


def odd_batches(s):
    s.topic("cmp-odd-batches", 40)
    now = s.now
    zipped = gzip.compress(record(0, 0, b"k", b"v"), mtime=0)
    numbered = dict(producer_id=s.producer_id(), producer_epoch=0)
    odd = {
        "magic 0": old_message(0, b"v", 0),
        "magic 1": old_message(1, b"v", now),
        "a batch and one of magic 1": batch([now]) + old_message(1, b"v", now),
        "magic 1 and a batch": old_message(1, b"v", now) + batch([now]),
        "gzip": batch([now], attributes=1, payload=zipped),
        "gzip, cut": batch([now], attributes=1, payload=zipped[:-4]),
        "a log append time by the client": batch([now], attributes=8),
        "a delete horizon": batch([now], attributes=0x40),
        "an attribute that nobody knows": batch([now], attributes=0x80),
        "all attributes above": batch([now], attributes=0x7F00),
        "timestamp -2": batch([-2]),
        "timestamp 0": batch([0]),
        "far in the future": batch([now + 10 * 86_400_000]),
        "two hours ahead": batch([now + 2 * 3_600_000 + 1_200_000]),
        "the last timestamp there is": batch([2**63 - 1]),
        "base timestamp after the others": batch([now, now - 5]),
        "a sequence below -1": batch([now], base_sequence=-2, **numbered),
        "no sequence": batch([now], base_sequence=-1, **numbered),
        "the last sequence": batch([now, now], base_sequence=2**31 - 1, **numbered),
        "an epoch below -1": batch([now], producer_id=numbered["producer_id"], producer_epoch=-2,
                                   base_sequence=0),
        "an id below -1": batch([now], producer_id=-2, producer_epoch=0, base_sequence=0),
        "transactional and idempotent": batch([now], attributes=0x10, base_sequence=0, **numbered),
        "control and transactional": batch([now], attributes=0x30, base_sequence=0, **numbered),
        "header alone, count 1": batch([now], payload=b""),
        "61 bytes of zero": bytes(61),
        "60 bytes": batch([now])[:60],
        "12 bytes": batch([now])[:12],
        "a negative length": batch([now], length=-1),
        "base offset -1": batch([now], base_offset=-1),
        "a leader epoch below -1": batch([now], leader_epoch=-7),
        "two idempotent batches": (batch([now], base_sequence=0, **numbered)
                                   + batch([now], base_sequence=1, **numbered)),
    }
    for words, records in odd.items():
        produce(s, words, "cmp-odd-batches", records, 11, partition=list(odd).index(words))
    for words in ("gzip", "a log append time by the client", "a delete horizon",
                  "an attribute that nobody knows", "all attributes above",
                  "base timestamp after the others"):
        fetch(s, f"what lies there: {words}", "cmp-odd-batches", 0, partition=list(odd).index(words))
    for version in (3, 6, 7):
        produce(s, "zstd", "cmp-odd-batches", batch([now], attributes=4, payload=b"x"), version,
                partition=39)


def odd_times(s):
    s.topic("cmp-odd-both", message_timestamp_type="LogAppendTime",
            message_timestamp_after_max_ms="1000", message_timestamp_before_max_ms="1000")
    for words, timestamp in (("old", 5), ("of the future", s.now * 2), ("without time", -1)):
        produce(s, f"{words}, at a topic of the broker's time", "cmp-odd-both", batch([timestamp]), 11)
    s.topic("cmp-odd-after", 2, message_timestamp_after_max_ms="1000")
    for version in (7, 11):
        produce(s, "one of two too new", "cmp-odd-after", batch([s.now, s.now + 14_400_000]), version)
        produce(s, "without time", "cmp-odd-after", batch([-1]), version)
        produce(s, "the first of all times", "cmp-odd-after", batch([0]), version)
    s.topic("cmp-odd-before", message_timestamp_before_max_ms="1000")
    produce(s, "without time, not too old", "cmp-odd-before", batch([-1]), 11)
    produce(s, "the first of all times, too old", "cmp-odd-before", batch([0]), 11)


CASES = [odd_produces, odd_batches, odd_times]
