"""Raw requests that delete records, and that ask how large logs are and who writes to them."""
from batches import batch


def fill(s, topic, count=9, partition=0, **fields):
    s.quietly("Produce", 9, {"Acks": -1, "TimeoutMs": 5000, "TopicData": [
        {"Name": topic, "PartitionData": [
            {"Index": partition, "Records": batch([s.now] * count, **fields)}]}]})


def delete(s, words, *named, version=2, timeout=5000):
    topics = {}
    for topic, partition, offset in named:
        topics.setdefault(topic, []).append({"PartitionIndex": partition, "Offset": offset})
    return s.ask(words, "DeleteRecords", version, {"TimeoutMs": timeout, "Topics": [
        {"Name": topic, "Partitions": partitions} for topic, partitions in topics.items()]})


def where_it_begins(s, words, topic):
    s.ask(words, "ListOffsets", 7, {"ReplicaId": -1, "Topics": [
        {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Timestamp": -2}]}]})


def read(s, words, topic, offset):
    s.ask(words, "Fetch", 11, {"MaxWaitMs": 0, "MinBytes": 0, "MaxBytes": 1 << 20, "Topics": [
        {"Topic": topic, "Partitions": [
            {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1 << 20}]}]})


def delete_records(s):
    s.topic("cmp-trim", 2)
    fill(s, "cmp-trim")
    for version in range(3):
        delete(s, "a few", ("cmp-trim", 0, 2 + version), version=version)
        delete(s, "the same again", ("cmp-trim", 0, 2 + version), version=version)
        delete(s, "an unknown topic", ("cmp-nobody", 0, 1), version=version)
    for offset in (0, 3, 10, 2**62, -2, -2**62):
        delete(s, f"below {offset}", ("cmp-trim", 0, offset))
    where_it_begins(s, "it begins there", "cmp-trim")
    for offset in (3, 4, 9):
        read(s, f"from {offset}", "cmp-trim", offset)
    delete(s, "an empty partition", ("cmp-trim", 1, -1))
    delete(s, "an unknown partition", ("cmp-trim", 7, 0))
    delete(s, "a negative partition", ("cmp-trim", -1, 0))
    delete(s, "not a name", ("a/b", 0, 0))
    delete(s, "no name", ("", 0, 0))
    delete(s, "nothing")
    delete(s, "good and bad ones", ("cmp-trim", 0, 5), ("cmp-trim", 1, 5), ("cmp-nobody", 0, 0))
    delete(s, "one partition twice", ("cmp-trim", 0, 7), ("cmp-trim", 0, 6))
    delete(s, "no time", ("cmp-trim", 0, 8), timeout=0)
    delete(s, "negative time", ("cmp-trim", 0, 8), timeout=-1)
    delete(s, "all", ("cmp-trim", 0, -1))
    where_it_begins(s, "it begins at its end", "cmp-trim")
    fill(s, "cmp-trim")
    read(s, "and goes on", "cmp-trim", 9)


def delete_records_by_policy(s):
    for policy in ("compact", "compact,delete", "delete"):
        topic = "cmp-trim-" + policy.replace(",", "-")
        s.topic(topic, cleanup_policy=policy)
        delete(s, policy, (topic, 0, -1))
        delete(s, f"{policy}, above the end", (topic, 0, 1))


def log_dirs(s):
    s.topic("cmp-dirs", 3)
    fill(s, "cmp-dirs", partition=1)
    some = [{"Topic": "cmp-dirs", "Partitions": [0, 1]}]
    for version in range(1, 6):
        s.ask("some of a topic's", "DescribeLogDirs", version, {"Topics": some})
        s.ask("none", "DescribeLogDirs", version, {"Topics": []})
        everything = s.quietly("DescribeLogDirs", version, {"Topics": None})
        sizes = [partition["PartitionSize"] for folder in everything["Results"]
                 for topic in folder["Topics"] if topic["Name"] == "cmp-dirs"
                 for partition in topic["Partitions"]]
        s.note(f"among all (v{version})", sorted(sizes))
    for words, topic, partitions in (
            ("an unknown topic", "cmp-nobody", [0]), ("an unknown partition", "cmp-dirs", [0, 9]),
            ("a negative partition", "cmp-dirs", [-1]), ("a partition twice", "cmp-dirs", [0, 0]),
            ("no partition", "cmp-dirs", []), ("not a name", "a/b", [0])):
        s.ask(words, "DescribeLogDirs", 4, {"Topics": [
            {"Topic": topic, "Partitions": partitions}]})
    s.ask("a topic twice", "DescribeLogDirs", 4, {"Topics": some * 2})


def producers(s):
    s.topic("cmp-writers", 2)
    producer = s.producer_id()

    def ask(words, *named):
        s.ask(words, "DescribeProducers", 0, {"Topics": [
            {"Name": topic, "PartitionIndexes": partitions} for topic, partitions in named]})
    ask("nobody yet", ("cmp-writers", [0, 1]))
    fill(s, "cmp-writers", 3, producer_id=producer, producer_epoch=0, base_sequence=0)
    ask("one", ("cmp-writers", [0, 1]))
    fill(s, "cmp-writers", 2, producer_id=producer, producer_epoch=0, base_sequence=3)
    ask("further on", ("cmp-writers", [0]))
    fill(s, "cmp-writers", 1, producer_id=producer, producer_epoch=1, base_sequence=0)
    ask("of another epoch", ("cmp-writers", [0]))
    ask("unknown ones", ("cmp-writers", [7, -1]), ("cmp-nobody", [0]), ("a/b", [0]))
    ask("no partitions", ("cmp-writers", []))
    ask("nothing")
    ask("a partition twice", ("cmp-writers", [0, 0]))
    s.quietly("DeleteRecords", 2, {"TimeoutMs": 5000, "Topics": [
        {"Name": "cmp-writers", "Partitions": [{"PartitionIndex": 0, "Offset": -1}]}]})
    ask("its records are deleted", ("cmp-writers", [0]))


CASES = [delete_records, delete_records_by_policy, log_dirs, producers]
