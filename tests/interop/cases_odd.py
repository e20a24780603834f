"""Raw requests that are legal and that no client would send: named twice, named in no way, negative,
empty, null, out of every range."""
from batches import batch
from cases_records import MIB, fetch_message
from cases_topics import UNKNOWN_ID
from session import NOBODY


def offsets_of(partitions, topic="cmp-odd-offsets", **extra):
    return {"ReplicaId": -1, "Topics": [{"Name": topic, "Partitions": partitions}]} | extra


def odd_list_offsets(s):
    s.topic("cmp-odd-offsets", 2)
    s.quietly("Produce", 9, {"Acks": -1, "TimeoutMs": 5000, "TopicData": [
        {"Name": "cmp-odd-offsets", "PartitionData": [{"Index": 0, "Records": batch([s.now] * 3)}]}]})

    def ask(words, version, *partitions, **extra):
        s.ask(words, "ListOffsets", version, offsets_of([
            {"PartitionIndex": p, "Timestamp": t} for p, t in partitions], **extra))
    for version in range(1, 12):
        for timestamp in range(-8, -2):
            ask(f"timestamp {timestamp}", version, (0, timestamp))
    for version in (1, 2, 11):
        s.ask("no topics", "ListOffsets", version, {"ReplicaId": -1})
        ask("no partitions", version)
        ask("a partition twice", version, (0, -1), (1, -1), (0, -2))
        ask("a negative partition", version, (-1, -1))
        ask("a timestamp unheard of, of an unknown partition", version, (9, -9))
        ask("the least timestamp", version, (0, -1 << 63))
        ask("as a debugging consumer", version, (0, -1), ReplicaId=-2)
        ask("not a name", version, (0, -1), topic="a/b")
        ask("no name", version, (0, -1), topic="")
    for level in (1, 2, -1):
        ask(f"isolation level {level}", 2, (0, -1), (1, -2), IsolationLevel=level)
    s.ask("a topic twice", "ListOffsets", 7, {"ReplicaId": -1, "Topics": [
        {"Name": "cmp-odd-offsets", "Partitions": [{"PartitionIndex": n, "Timestamp": -1}]}
        for n in (0, 1)]})
    s.ask("a topic and a partition twice", "ListOffsets", 7, {"ReplicaId": -1, "Topics": [
        {"Name": "cmp-odd-offsets", "Partitions": [{"PartitionIndex": 1, "Timestamp": -1}]}] * 2})
    s.ask("an epoch below -1", "ListOffsets", 7, offsets_of([
        {"PartitionIndex": 0, "Timestamp": -1, "CurrentLeaderEpoch": -2}]))


def odd_leader_epochs(s):
    s.topic("cmp-odd-epochs")

    def ask(words, version, *partitions, topic="cmp-odd-epochs", **extra):
        s.ask(words, "OffsetForLeaderEpoch", version, {"ReplicaId": -1, "Topics": [
            {"Topic": topic, "Partitions": [
                {"Partition": p, "LeaderEpoch": epoch, "CurrentLeaderEpoch": current}
                for p, epoch, current in partitions]}]} | extra)
    for version in (2, 3, 4):
        s.ask("no topics", "OffsetForLeaderEpoch", version, {"ReplicaId": -1})
        ask("no partitions", version)
        ask("a partition twice", version, (0, 0, -1), (0, 5, -1))
        ask("a negative partition", version, (-1, 0, -1))
        ask("the largest epoch", version, (0, 2**31 - 1, -1))
        ask("epoch -2", version, (0, -2, -1))
        ask("asked from epoch -2", version, (0, 0, -2))
        ask("not a name", version, (0, 0, -1), topic="a/b")
    ask("as a debugging consumer", 4, (0, 0, -1), ReplicaId=-2)


def odd_fetches(s):
    identity = s.topic("cmp-odd-fetch")
    s.quietly("Produce", 9, {"Acks": -1, "TimeoutMs": 5000, "TopicData": [
        {"Name": "cmp-odd-fetch", "PartitionData": [{"Index": 0, "Records": batch([s.now] * 3)}]}]})

    def ask(words, version=11, **more):
        named = {"topic_id": identity} if version >= 13 else {}
        s.ask(words, "Fetch", version, fetch_message("cmp-odd-fetch", 0, version, **named) | more)

    def partitions(words, version, *all_of_them, **more):
        name = ({"TopicId": more.pop("topic_id", identity)} if version >= 13 else
                {"Topic": "cmp-odd-fetch"})
        ask(words, version, Topics=[name | {"Partitions": [
            {"FetchOffset": 0, "PartitionMaxBytes": MIB} | p for p in all_of_them]}], **more)
    for version in (4, 7, 12):
        ask("no topics", version, Topics=[])
        partitions("no partitions", version)
        partitions("a partition twice", version, {"Partition": 0}, {"Partition": 0, "FetchOffset": 1})
        partitions("a negative partition", version, {"Partition": -1})
        partitions("partition_max_bytes -1", version, {"Partition": 0, "PartitionMaxBytes": -1})
        ask("min_bytes -1", version, MinBytes=-1)
        ask("max_wait -1", version, MaxWaitMs=-1, MinBytes=1)
        ask("max_bytes 0", version, MaxBytes=0)
        ask("max_bytes -1", version, MaxBytes=-1)
        for level in (1, 2, -1):
            ask(f"isolation level {level}", version, IsolationLevel=level)
        ask("committed, of an unknown topic", version, IsolationLevel=1, Topics=[
            {"Topic": "cmp-nobody", "Partitions": [{"Partition": 0, "PartitionMaxBytes": MIB}]}])
        partitions("committed, out of range", version, {"Partition": 0, "FetchOffset": 99},
                   IsolationLevel=1)
    for version in (13, 15, 18):
        partitions("no id", version, {"Partition": 0}, topic_id=NOBODY)
        partitions("a partition twice", version, {"Partition": 0}, {"Partition": 0, "FetchOffset": 1})
        partitions("an unknown partition", version, {"Partition": 9})
        partitions("committed, of an unknown id", version, {"Partition": 0}, topic_id=UNKNOWN_ID,
                   IsolationLevel=1)
        ask("a known and an unknown id", version, Topics=[
            {"TopicId": each, "Partitions": [{"Partition": 0, "PartitionMaxBytes": MIB}]}
            for each in (identity, UNKNOWN_ID)])
    for identifier, epoch in ((0, 5), (0, -2), (7, -1), (7, 1), (7, -2)):
        ask(f"session {identifier}, epoch {epoch}", SessionId=identifier, SessionEpoch=epoch)
    for epoch in (0, 1, -2):
        partitions(f"last fetched epoch {epoch}", 12, {"Partition": 0, "LastFetchedEpoch": epoch,
                                                       "FetchOffset": 2})
    partitions("an epoch below -1", 11, {"Partition": 0, "CurrentLeaderEpoch": -2})
    ask("a rack", 11, RackId="r")
    ask("something to forget", 7, ForgottenTopicsData=[{"Topic": "cmp-nobody", "Partitions": [3]}])
    ask("as a debugging consumer", 11, ReplicaId=-2)


def odd_metadata(s):
    identity = s.topic("cmp-odd-meta")
    other = s.topic("cmp-odd-more")
    names = [{"Name": "cmp-odd-meta"}, {"Name": "cmp-odd-more"}]
    by_id = {"TopicId": identity, "Name": None}

    def ask(words, version, topics, allow=False):
        s.ask(words, "Metadata", version, {"Topics": topics, "AllowAutoTopicCreation": allow})
    for version in (0, 4, 9, 13):
        ask("names twice", version, names + names)
        if version >= 4:  # Before, the question makes the topic.
            ask("an unknown name twice", version, [{"Name": "cmp-nobody"}] * 2)
        ask("not a name, twice", version, [{"Name": "a/b"}] * 2)
    ask("an id twice", 12, [by_id] * 2)
    ask("an unknown id twice", 12, [{"TopicId": UNKNOWN_ID, "Name": None}] * 2)
    ask("a name and an id", 12, [names[1], by_id])
    ask("a name and its id", 12, [names[0], by_id])
    ask("an id with its name", 12, [by_id | names[0]])
    ask("an id with another's name", 12, [by_id | names[1]])
    ask("an unknown id with a name", 12, [{"TopicId": UNKNOWN_ID} | names[0]])
    ask("two ids and an unknown name", 12, [by_id, {"TopicId": other, "Name": None},
                                            {"Name": "cmp-nobody"}])
    for version in (12, 13):
        ask("neither name nor id", version, [{"TopicId": NOBODY, "Name": None}])
    ask("neither name nor id, and an id", 12, [{"TopicId": NOBODY, "Name": None}, by_id])
    ask("Kafka's own topic", 12, [{"Name": "__cluster_metadata"}], allow=True)
    ask("neither name nor id, and a name", 12, [{"TopicId": NOBODY, "Name": None}, names[0]])
    for version in (10, 11):
        ask("an id before there were ids", version, [by_id])
        ask("an id with a name before there were ids", version, [by_id | names[0]])
        ask("no name before there were ids", version, [{"Name": None}])
    ask("a name like another", 9, [{"Name": "cmp_odd.meta"}])


def odd_deletions(s):
    def ask(words, version, *topics, **extra):
        topics = [{"Name": name, "TopicId": identity} for name, identity in topics]
        answer = s.quietly("DeleteTopics", version, {"Topics": topics, "TimeoutMs": 5000} | extra)
        s.note(f"{words} (v{version})", sorted(answer["Responses"], key=str))  # Kafka shuffles them.
        for name in ("cmp-odd-gone", "cmp-odd-too"):
            answer = s.quietly("Metadata", 9, {"Topics": [{"Name": name}],
                                               "AllowAutoTopicCreation": False})
            s.note(f"{words} (v{version}): {name} is there", answer["Topics"][0]["ErrorCode"])
    one, two = s.topic("cmp-odd-gone"), s.topic("cmp-odd-too")
    gone, too = ("cmp-odd-gone", NOBODY), ("cmp-odd-too", NOBODY)
    ask("none", 6)
    ask("neither name nor id", 6, (None, NOBODY))
    ask("neither, twice", 6, (None, NOBODY), (None, NOBODY))
    ask("name and id", 6, ("cmp-odd-gone", one))
    ask("name and id, twice", 6, ("cmp-odd-gone", one), ("cmp-odd-gone", one))
    ask("a name twice", 6, gone, gone)
    ask("a name thrice", 6, gone, gone, gone)
    ask("an unknown name twice", 6, ("cmp-nobody", NOBODY), ("cmp-nobody", NOBODY))
    ask("an id twice", 6, (None, one), (None, one))
    ask("an unknown id twice", 6, (None, UNKNOWN_ID), (None, UNKNOWN_ID))
    ask("a name and its id", 6, gone, (None, one))
    ask("an id and its name", 6, (None, two), too)
    ask("a name and its id twice", 6, gone, (None, one), (None, one))
    ask("a name twice and its id", 6, gone, gone, (None, one))
    one, two = s.topic("cmp-odd-gone"), s.topic("cmp-odd-too")
    ask("a name, another's id, nobody's name", 6, gone, (None, two), ("cmp-nobody", NOBODY))
    ask("an empty name", 6, ("", NOBODY))
    ask("an empty name", 5, TopicNames=[""])
    ask("not a name", 5, TopicNames=["a/b"])
    s.topic("cmp-odd-gone")
    ask("a name twice and another", 5, TopicNames=["cmp-odd-gone", "cmp-odd-gone", "cmp-nobody"])


def odd_creations(s):
    def ask(words, *topics, version=7, validate=True):
        s.ask(words, "CreateTopics", version, {"timeoutMs": 5000, "validateOnly": validate, "Topics": [
            {"Name": "cmp-odd-made", "NumPartitions": 1, "ReplicationFactor": 1} | topic
            for topic in topics]})
    for version in (2, 7):
        ask("twice", {}, {}, version=version, validate=False)
        ask("thrice", {}, {}, {}, version=version, validate=False)
        ask("twice, and another", {}, {}, {"Name": "cmp-odd-other"}, version=version)
        ask("no name, twice", {"Name": ""}, {"Name": ""}, version=version)
        ask("two alike", {"Name": "cmp.odd.alike"}, {"Name": "cmp_odd_alike"}, version=version)
    ask("Kafka's own topic", {"Name": "__cluster_metadata"})
    ask("an internal topic", {"Name": "__consumer_offsets"})
    ask("counted, replicas left open", {"ReplicationFactor": -1, "NumPartitions": 3})
    ask("replicas counted, partitions left open", {"NumPartitions": -1})
    ask("too many partitions", {"NumPartitions": 2**31 - 1})
    ask("replication 32767", {"ReplicationFactor": 32767})

    def by_hand(words, *assignments, **more):
        ask(words, {"NumPartitions": -1, "ReplicationFactor": -1, "Assignments": [
            {"PartitionIndex": index, "BrokerIds": brokers} for index, brokers in assignments]} | more)
    by_hand("by hand", (0, [1]), (1, [1]))
    by_hand("in another order", (1, [1]), (0, [1]))
    by_hand("twice to one broker", (0, [1, 1]))
    by_hand("to nobody", (0, []))
    by_hand("one partition twice", (0, [1]), (0, [1]))
    by_hand("a negative partition", (-1, [1]))
    by_hand("of different sizes", (0, [1]), (1, [1, 2]))
    by_hand("partitions counted", (0, [1]), NumPartitions=1)
    by_hand("replicas counted", (0, [1]), ReplicationFactor=1)

    def with_configs(words, *configs):
        ask(words, {"Configs": [{"Name": name, "Value": value} for name, value in configs]})
    with_configs("a config twice", ("retention.ms", "1"), ("retention.ms", "2"))
    with_configs("a config twice, then wrong", ("retention.ms", "1"), ("retention.ms", "x"))
    with_configs("a config without a name", ("", "1"))
    with_configs("a lag above the other", ("min.compaction.lag.ms", "9"), ("max.compaction.lag.ms", "8"))
    with_configs("two wrong", ("retention.ms", "x"), ("segment.bytes", "x"))


CONFIGS = """cleanup.policy compression.gzip.level compression.lz4.level compression.type
    compression.zstd.level delete.retention.ms file.delete.delay.ms flush.messages flush.ms
    follower.replication.throttled.replicas index.interval.bytes leader.replication.throttled.replicas
    local.retention.bytes local.retention.ms max.compaction.lag.ms max.message.bytes
    message.timestamp.after.max.ms message.timestamp.before.max.ms message.timestamp.type
    min.cleanable.dirty.ratio min.compaction.lag.ms min.insync.replicas preallocate
    remote.copy.disable remote.log.delete.on.disable remote.storage.enable retention.bytes retention.ms
    segment.bytes segment.index.bytes segment.jitter.ms segment.ms unclean.leader.election.enable
    message.format.version message.downconversion.enable internal.segment.bytes""".split()
VALUES = ["x", "", " ", "-2", "-1", "0", "1", " 5 ", "+5", "0x10", "1.5", "2147483648",
          "9223372036854775807", "9223372036854775808", "TRUE", "compact,delete", "delete,delete",
          "delete,", ",", "compact, delete", "gzip", "GZIP", "*", "0:1,1:1", "none"]


def config_values(s):
    """Every topic config with every value: the error and its words."""
    for name in CONFIGS:
        for value in VALUES:
            answer = s.quietly("CreateTopics", 7, {"timeoutMs": 5000, "validateOnly": True, "Topics": [
                {"Name": "cmp-odd-config", "NumPartitions": 1, "ReplicationFactor": 1,
                 "Configs": [{"Name": name, "Value": value}]}]})
            topic = answer["Topics"][0]
            shown = [c["Value"] for c in topic["Configs"] or [] if c["Name"] == name]
            s.note(f"{name} = {value!r}", {"ErrorCode": topic["ErrorCode"], "shown": shown,
                                           "in words": topic["ErrorMessage"]})


def odd_descriptions(s):
    s.topic("cmp-odd-configs", retention_ms="5")

    def ask(words, *resources, version=4, **extra):
        s.ask(words, "DescribeConfigs", version, {"Resources": [
            {"ResourceType": kind, "ResourceName": name, "ConfigurationKeys": keys}
            for kind, name, keys in resources]} | extra)
    some = ["retention.ms", "cleanup.policy"]
    for version in (1, 4):
        ask("none", version=version)
        ask("twice", (2, "cmp-odd-configs", some), (2, "cmp-odd-configs", some[:1]), version=version)
        ask("a key twice", (2, "cmp-odd-configs", some[:1] * 2), version=version)
    for kind in (0, 1, 3, 5, 8, 16, 32, -1):
        ask(f"kind {kind}", (kind, "x", some))
    for kind in (8, 16, 32):
        ask(f"kind {kind}, no name", (kind, "", some))
    ask("all brokers", (4, "", some))
    ask("a broker below 0", (4, "-1", some))
    ask("documented", (2, "cmp-odd-configs", some), IncludeDocumentation=True)
    ask("documented in v3", (2, "cmp-odd-configs", some), version=3, IncludeDocumentation=True)
    ask("a topic and one that is not", (2, "cmp-odd-configs", some), (2, "cmp-nobody", some))


def odd_clusters(s):
    for kind in (0, 1, 2, 3, -1):
        for version in (1, 2):
            s.ask(f"endpoints of kind {kind}", "DescribeCluster", version, {"EndpointType": kind})
    s.ask("fenced ones too", "DescribeCluster", 2, {"IncludeFencedBrokers": True})
    s.topic("cmp-odd-a", 3)
    s.topic("cmp-odd-b", 3)

    def page(words, limit=100, cursor=None, names=("cmp-odd-b", "cmp-odd-a")):
        cursor = cursor and {"TopicName": cursor[0], "PartitionIndex": cursor[1]}
        s.ask(words, "DescribeTopicPartitions", 0, {
            "Topics": [{"Name": name} for name in names], "ResponsePartitionLimit": limit,
            "Cursor": cursor})
    for limit in (-1, 0, 1, 2, 3, 4, 5, 6, 7):
        page(f"at most {limit}", limit)
    for cursor in (("cmp-odd-a", 0), ("cmp-odd-a", 2), ("cmp-odd-a", 3), ("cmp-odd-a", -1),
                   ("cmp-odd-b", 1), ("cmp-odd-b", 9), ("cmp-odd-aa", 2), ("cmp-odd-c", 0), ("", 0),
                   ("a/b", 0)):
        page(f"from {cursor}", cursor=cursor)
        page(f"two from {cursor}", 2, cursor=cursor)
    page("a name twice", names=("cmp-odd-a", "cmp-odd-a"))
    page("unknown ones among them", 4, names=("cmp-odd-a", "cmp-odd-aa", "a/b", "cmp-odd-b"))
    page("only unknown ones", 1, names=("cmp-odd-x", "cmp-odd-y"))
    page("no name", names=("",))


def odd_producers(s):
    s.producer_id()
    for version in range(6):
        s.ask("a negative timeout", "InitProducerId", version, {
            "TransactionalId": None, "TransactionTimeoutMs": -1})
    for identifier, epoch in ((-1, -1), (5, -1), (-1, 0), (-2, -2), (5, 32767), (2**62, 0), (-5, 3)):
        s.ask(f"id {identifier}, epoch {epoch}", "InitProducerId", 4, {
            "TransactionalId": None, "TransactionTimeoutMs": 1000, "ProducerId": identifier,
            "ProducerEpoch": epoch})
    for kind in (3, 9, -1):
        for version in (1, 3):
            s.ask(f"coordinators of kind {kind}", "FindCoordinator", version, {
                "Key": "k", "KeyType": kind})
        for version in (4, 6):
            s.ask(f"coordinators of kind {kind}", "FindCoordinator", version, {
                "CoordinatorKeys": ["k", "l"], "KeyType": kind})
    s.ask("no coordinators", "FindCoordinator", 4, {"CoordinatorKeys": [], "KeyType": 0})


CASES = [odd_list_offsets, odd_leader_epochs, odd_fetches, odd_metadata, odd_deletions, odd_creations,
         config_values, odd_descriptions, odd_clusters, odd_producers]
