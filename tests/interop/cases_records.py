"""Raw requests that write and read records."""
from batches import batch, record

MIB = 1 << 20


def produce(s, words, topic, records, version=9, acks=-1, partition=0, **extra):
    name = {"TopicId": extra.pop("topic_id")} if version >= 13 else {"Name": topic}
    return s.ask(words, "Produce", version, {
        "Acks": acks, "TimeoutMs": 5000, "TopicData": [
            name | {"PartitionData": [{"Index": partition, "Records": records}]}]} | extra)


def fetch_message(topic, offset, version=11, wait=0, minimum=0, total=50 * MIB, limit=MIB,
                  partition=0, **extra):
    partition = {"Partition": partition, "FetchOffset": offset, "PartitionMaxBytes": limit}
    partition |= {key: extra.pop(key) for key in ("CurrentLeaderEpoch",) if key in extra}
    name = {"TopicId": extra.pop("topic_id")} if version >= 13 else {"Topic": topic}
    return {"MaxWaitMs": wait, "MinBytes": minimum, "MaxBytes": total,
            "Topics": [name | {"Partitions": [partition]}]} | extra


def fetch(s, words, topic, offset, version=11, **more):
    return s.ask(words, "Fetch", version, fetch_message(topic, offset, version, **more))


def offsets(s, words, topic, timestamp, version=7, partition=0, **extra):
    s.ask(words, "ListOffsets", version, {"ReplicaId": -1, "Topics": [
        {"Name": topic, "Partitions": [{"PartitionIndex": partition, "Timestamp": timestamp}
                                       | extra]}]})


def produce_versions(s):
    identity = s.topic("cmp-produce", 2)
    for version in range(3, 12):
        produce(s, "one batch", "cmp-produce", batch([s.now]), version)
    for acks in (0, 1, -1, 2, -2):
        if acks == 0:
            s.send("Produce", 9, {"Acks": 0, "TimeoutMs": 5000, "TopicData": [
                {"Name": "cmp-produce", "PartitionData": [{"Index": 0,
                                                           "Records": batch([s.now])}]}]})
            s.ask("after acks=0 the next answer is the next request's", "Metadata", 1,
                  {"Topics": []})
        else:
            produce(s, f"acks={acks}", "cmp-produce", batch([s.now]), acks=acks)
    produce(s, "an unknown topic", "cmp-nobody", batch([s.now]))
    produce(s, "an unknown partition", "cmp-produce", batch([s.now]), partition=9)
    produce(s, "not a name", "a/b", batch([s.now]))
    produce(s, "by id", "", batch([s.now]), 13, topic_id=identity)
    s.send("Produce", 2, {"Acks": 1, "TimeoutMs": 5000, "TopicData": []})
    s.note("Produce v2", s.answer_to(("Produce", 2, s.correlation)))


def bad_batches(s):
    s.topic("cmp-bad", 30)
    s.topic("cmp-compacted", cleanup_policy="compact")
    s.topic("cmp-recent", message_timestamp_before_max_ms="3600000",
            message_timestamp_after_max_ms="3600000")
    now = s.now
    wrong = {
        "base offset 7": batch([now], base_offset=7),
        "CRC": batch([now], crc_flip=1),
        "last offset delta negative": batch([now], last_offset_delta=-1),
        "last offset delta too large": batch([now], last_offset_delta=5),
        "count 0": batch([now], count=0, last_offset_delta=-1, payload=b""),
        "count negative": batch([now], count=-1),
        "count too large": batch([now], count=1000, last_offset_delta=999),
        "count too small": batch([now, now], count=1, last_offset_delta=0),
        "control bit": batch([now], attributes=0x20),
        "transactional bit": batch([now], attributes=0x10),
        "transactional with an id": batch([now], attributes=0x10, producer_id=1, producer_epoch=0,
                                          base_sequence=0),
        "an id without a sequence": batch([now], producer_id=1, producer_epoch=0),
        "an id without an epoch": batch([now], producer_id=1, base_sequence=0),
        "codec 7": batch([now], attributes=7),
        "a codec that lies": batch([now], attributes=1),
        "magic 1": batch([now], magic=1),
        "magic 3": batch([now], magic=3),
        "length too small": batch([now], length=20),
        "length too large": batch([now], length=500),
        "two batches": batch([now]) + batch([now]),
        "a batch and rubbish": batch([now]) + b"rubbish",
        "rubbish": bytes(range(100)),
        "nothing": b"",
        "null": None,
        "leader epoch 5": batch([now], leader_epoch=5),
        "max timestamp wrong": batch([now], max_timestamp=now + 9),
        "timestamp -1": batch([-1]),
        "cut in the last record": batch([now], payload=b"\x20\0\0\0"),
    }
    for words, records in wrong.items():  # Each to a partition of its own, as one may be taken.
        produce(s, words, "cmp-bad", records, partition=list(wrong).index(words))
    for words in ("leader epoch 5", "max timestamp wrong", "timestamp -1", "a batch and rubbish"):
        fetch(s, f"what lies there: {words}", "cmp-bad", 0, partition=list(wrong).index(words))
    produce(s, "no key, compacted", "cmp-compacted", batch([now], key=None))
    produce(s, "no key, compacted, before record errors", "cmp-compacted", batch([now], key=None), 7)
    produce(s, "too old", "cmp-recent", batch([now - 7_200_000]))
    produce(s, "too new", "cmp-recent", batch([now + 14_400_000]))
    produce(s, "just right", "cmp-recent", batch([now + 3_000_000]))


def lies_about_records(s):
    """On a compacted topic, of which a broker has to open every batch."""
    s.topic("cmp-opened", 10, cleanup_policy="compact")
    now = s.now
    wrong = {
        "count too large": batch([now], count=1000, last_offset_delta=999),
        "count too small": batch([now, now], count=1, last_offset_delta=0),
        "cut in the last record": batch([now], payload=b"\x20\0\0\0"),
        "a codec that lies": batch([now], attributes=1),
        "no records behind a count": batch([now], payload=b""),
        "offset deltas from 1": batch([now], payload=record(1, 0, b"k", b"v")),
        "a record longer than it says": batch([now], payload=record(0, 0, b"k", b"v") + b"\0"),
        "a header count without headers": batch([now], payload=b"\x10" + b"\0\0\0\2k\2v\x08"),
        "max timestamp wrong": batch([now], max_timestamp=now + 9),
        "no key in the second": batch([now, now], payload=record(0, 0, b"k", b"v")
                                      + record(1, 0, None, b"v")),
    }
    for words, records in wrong.items():
        produce(s, words, "cmp-opened", records, partition=list(wrong).index(words))
    fetch(s, "max timestamp put right", "cmp-opened", 0, partition=8)


def too_large(s):
    s.topic("cmp-small", max_message_bytes="1000")
    for version in (7, 9):
        produce(s, "over max.message.bytes", "cmp-small", batch([s.now], [b"L" * 2000]), version)
    at_limit = batch([s.now], [b"v" * 1000])
    spare = len(at_limit) - 1000
    produce(s, "as large as may be", "cmp-small", batch([s.now], [b"v" * (1000 - spare)]))
    produce(s, "one byte more", "cmp-small", batch([s.now], [b"v" * (1001 - spare)]))


def append_time(s):
    s.topic("cmp-append-time", message_timestamp_type="LogAppendTime")
    produce(s, "stamped by the broker", "cmp-append-time", batch([s.now, s.now + 5]))
    fetch(s, "as stored", "cmp-append-time", 0)
    s.topic("cmp-create-time")
    produce(s, "stamped by the client", "cmp-create-time", batch([s.now, s.now + 5]))
    fetch(s, "as stored by the client's time", "cmp-create-time", 0)


def idempotent(s):
    s.topic("cmp-once")
    identity = s.producer_id()

    def send(words, sequence, epoch=0, count=2, producer=identity):
        produce(s, words, "cmp-once", batch([s.now + sequence] * count, producer_id=producer,
                                            producer_epoch=epoch, base_sequence=sequence))
    for n in range(7):
        send(f"batch {n}", 2 * n)
    for n in range(2, 7):
        send(f"batch {n} again", 2 * n)
    send("batch 1 again, out of the window", 2)
    send("half of batch 6 again", 12, count=1)
    send("a gap", 40)
    send("the next after the gap", 14)
    send("a newer epoch that does not begin at 0", 16, epoch=1)
    send("a newer epoch", 0, epoch=1)
    send("the older epoch", 16, epoch=0)
    send("an unknown id not from 0", 8, producer=identity + 500_000)
    send("an unknown id from 0", 0, producer=identity + 600_000)
    fetch(s, "what was taken", "cmp-once", 0)


def init_producer_id(s):
    s.producer_id()
    for version in range(6):
        s.ask("a new id", "InitProducerId", version, {"TransactionalId": None,
                                                      "TransactionTimeoutMs": 60_000})
    s.ask("a timeout of 0", "InitProducerId", 4, {"TransactionalId": None,
                                                  "TransactionTimeoutMs": 0})
    s.ask("an id of one's own", "InitProducerId", 4, {
        "TransactionalId": None, "TransactionTimeoutMs": 1, "ProducerId": 5, "ProducerEpoch": 3})
    s.ask("an epoch without an id", "InitProducerId", 4, {
        "TransactionalId": None, "TransactionTimeoutMs": 1, "ProducerEpoch": 3})
    s.ask("an empty transactional id", "InitProducerId", 4, {
        "TransactionalId": "", "TransactionTimeoutMs": 60_000})


def list_offsets(s):
    s.topic("cmp-times")
    s.topic("cmp-empty")
    for version in range(1, 12):
        offsets(s, "the end of nothing", "cmp-empty", -1, version)
    for words, timestamp in (("the start", -2), ("the newest", -3), ("a time", s.now)):
        offsets(s, f"{words} of nothing", "cmp-empty", timestamp)
    produce(s, "times 2 and 4", "cmp-times", batch([s.now + 2, s.now + 4]))
    produce(s, "times 6 and 8", "cmp-times", batch([s.now + 6, s.now + 8]))
    for t in range(1, 10):
        offsets(s, f"time {t}", "cmp-times", s.now + t)
    for version in range(1, 12):
        offsets(s, "between 2 and 4", "cmp-times", s.now + 3, version)
        offsets(s, "the end", "cmp-times", -1, version)
        offsets(s, "the start", "cmp-times", -2, version)
    for version in (7, 10, 11):
        offsets(s, "the newest record", "cmp-times", -3, version)
    for timestamp in (-4, -5, -6, -7):
        offsets(s, f"timestamp {timestamp}", "cmp-times", timestamp, 11)
    offsets(s, "the newest, before there was -3", "cmp-times", -3, 6)
    offsets(s, "an epoch of the future", "cmp-times", -1, CurrentLeaderEpoch=9)
    offsets(s, "the epoch of now", "cmp-times", -1, CurrentLeaderEpoch=0)
    offsets(s, "an unknown partition", "cmp-times", -1, partition=9)
    offsets(s, "an unknown topic", "cmp-nobody", -1)
    produce(s, "an older one after newer ones", "cmp-times", batch([s.now + 1, s.now + 9]))
    for t in (1, 2, 9):
        offsets(s, f"time {t}, times not in order", "cmp-times", s.now + t)
    offsets(s, "the newest, times not in order", "cmp-times", -3)


def leader_epochs(s):
    s.topic("cmp-epochs")
    produce(s, "three records", "cmp-epochs", batch([s.now] * 3))

    def ask(words, epoch, current=-1, version=4, topic="cmp-epochs", partition=0):
        s.ask(words, "OffsetForLeaderEpoch", version, {"ReplicaId": -1, "Topics": [
            {"Topic": topic, "Partitions": [{"Partition": partition, "LeaderEpoch": epoch,
                                             "CurrentLeaderEpoch": current}]}]})
    for version in (2, 3, 4):
        ask("the epoch of now", 0, version=version)
    ask("an epoch to come", 1)
    ask("epoch -1", -1)
    ask("asked from the future", 0, current=7)
    ask("asked from now", 0, current=0)
    ask("an unknown topic", 0, topic="cmp-nobody")
    ask("an unknown partition", 0, partition=9)


CASES = [produce_versions, bad_batches, lies_about_records, too_large, append_time, idempotent,
         init_producer_id, list_offsets, leader_epochs]
