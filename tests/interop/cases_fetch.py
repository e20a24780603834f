"""Raw requests that read records: where, how much, how long."""
import time

from batches import batch
from cases_records import MIB, fetch, fetch_message, produce


def fetch_versions(s):
    identity = s.topic("cmp-fetch")
    produce(s, "three records", "cmp-fetch", batch([s.now] * 3))
    for version in range(4, 13):
        fetch(s, "from 0", "cmp-fetch", 0, version)
        fetch(s, "from the end", "cmp-fetch", 3, version)
        fetch(s, "an unknown topic", "cmp-nobody", 0, version)
    for version in range(13, 19):
        fetch(s, "from 0 by id", "", 0, version, topic_id=identity)
        fetch(s, "an unknown id", "", 0, version,
              topic_id="00000000-0000-0001-0000-000000000007")
    for offset in (1, 2, 3, 4, -1, -5):
        fetch(s, f"from {offset}", "cmp-fetch", offset)
    fetch(s, "an epoch of the future", "cmp-fetch", 0, CurrentLeaderEpoch=9)
    fetch(s, "the epoch of now", "cmp-fetch", 0, CurrentLeaderEpoch=0)
    fetch(s, "read committed", "cmp-fetch", 0, IsolationLevel=1)
    fetch(s, "a session that is not", "cmp-fetch", 0, SessionId=12345, SessionEpoch=5)
    s.ask("nothing asked for", "Fetch", 11, {"MaxWaitMs": 0, "MinBytes": 0, "MaxBytes": MIB,
                                             "SessionEpoch": -1})


def fetch_sizes(s):
    s.topic("cmp-sizes")
    for n in range(4):
        produce(s, f"100 KB, {n}", "cmp-sizes", batch([s.now + n], [b"L" * 100_000]))
    for words, total, limit in (("one byte, all in all", 1, MIB), ("one byte of the partition",
                                MIB, 1), ("two batches and a half", MIB, 250_000),
                                ("no bytes", 0, 0), ("fewer all in all", 150_000, MIB)):
        for version in (4, 11):
            fetch(s, words, "cmp-sizes", 0, version, total=total, limit=limit)
    fetch(s, "from the last, one byte", "cmp-sizes", 3, total=1, limit=1)


def fetch_waits(s):
    s.topic("cmp-waits")

    def timed(words, wait, minimum, low, high, offset=0):
        began = time.monotonic()
        answer = s.quietly("Fetch", 11, fetch_message("cmp-waits", offset, wait=wait,
                                                      minimum=minimum))
        took = 1000 * (time.monotonic() - began)
        s.note(words, {"in time": low <= took <= high or f"{took:.0f} ms", "answer": answer})
    timed("empty, no wait", 0, 1, 0, 200)
    timed("empty, nothing wanted", 1000, 0, 0, 200)
    timed("empty, waits", 500, 1, 490, 800)
    produce(s, "a record", "cmp-waits", batch([s.now]))
    timed("a record there", 1000, 1, 0, 200)
    timed("more wanted than there is", 500, 10_000, 490, 800)
    sent = s.send("Fetch", 11, fetch_message("cmp-waits", 1, wait=5000, minimum=1))
    s.connection, parked = None, s.connection
    produce(s, "a record on another connection", "cmp-waits", batch([s.now]))
    began = time.monotonic()
    s.close()
    s.connection = parked
    answer = s.answer_to(sent)
    took = 1000 * (time.monotonic() - began)
    s.note("woken by it", {"in time": took < 300 or f"{took:.0f} ms", "answer": answer})


def answers_in_order(s):
    s.topic("cmp-order")
    first = s.send("Fetch", 11, fetch_message("cmp-order", 0, wait=400, minimum=1))
    second = s.send("Metadata", 1, {"Topics": []})
    third = s.send("ListOffsets", 4, {"ReplicaId": -1, "Topics": [
        {"Name": "cmp-order", "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]}]})
    for words, sent in (("first a fetch that waits", first), ("then metadata", second),
                        ("then offsets", third)):
        s.note(words, s.answer_to(sent))
    sent = [s.send("Produce", 9, {"Acks": -1, "TimeoutMs": 5000, "TopicData": [
        {"Name": "cmp-order", "PartitionData": [{"Index": 0, "Records": batch([s.now + n])}]}]})
        for n in range(5)]
    for n, each in enumerate(sent):
        s.note(f"five pipelined, {n}", s.answer_to(each))
    fetch(s, "in the order they were sent", "cmp-order", 0)


def several_partitions(s):
    s.topic("cmp-several", 3)
    for partition in range(2):
        produce(s, f"to {partition}", "cmp-several", batch([s.now], [b"p%d" % partition]),
                partition=partition)
    for version in (9, 11):
        s.ask("to all, one of them wrong", "Produce", version, {
            "Acks": 1, "TimeoutMs": 5000, "TopicData": [{"Name": "cmp-several", "PartitionData": [
                {"Index": 0, "Records": batch([s.now])},
                {"Index": 1, "Records": batch([s.now], crc_flip=1)},
                {"Index": 7, "Records": batch([s.now])}]}]})
    for version in (11, 12):
        s.ask("all, one of them unknown", "Fetch", version, {
            "MaxWaitMs": 0, "MinBytes": 0, "MaxBytes": MIB, "Topics": [
                {"Topic": "cmp-several", "Partitions": [
                    {"Partition": n, "FetchOffset": 0, "PartitionMaxBytes": MIB}
                    for n in (2, 1, 0, 7)]}, {"Topic": "cmp-nobody", "Partitions": [
                        {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": MIB}]}]})


CASES = [fetch_versions, fetch_sizes, fetch_waits, answers_in_order, several_partitions]
