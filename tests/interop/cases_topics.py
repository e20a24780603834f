"""Raw requests about the broker and its topics. A case is a function over one side's Session."""
import struct
import uuid

SOFTWARE = {"ClientSoftwareName": "compare", "ClientSoftwareVersion": "1"}
UNKNOWN_ID = str(uuid.UUID(int=1 << 64 | 7))
NOT_NAMES = ["", ".", "..", "a/b", "a b", "x" * 250, "ü"]


def api_versions(s):
    for version in range(6):
        s.ask("ApiVersions", "ApiVersions", version, SOFTWARE)
    for version in (6, 127):
        sent = ("ApiVersions", version, 1000 + version)
        s.send_frame(struct.pack(">hhih", 18, version, sent[2], -1) + b"\0\x01\x01\0")
        s.note(f"a version that nobody knows, {version}", s.answer_to(sent, decode_as=0))
    s.ask("the connection lives on", "ApiVersions", 3, SOFTWARE)
    s.ask("a client without a name", "ApiVersions", 3,
          {"ClientSoftwareName": "", "ClientSoftwareVersion": ""})
    s.ask("a client whose name is not a name", "ApiVersions", 3,
          {"ClientSoftwareName": "a b!", "ClientSoftwareVersion": "1"})


def unknown_requests(s):
    s.send_frame(struct.pack(">hhih", 9999, 0, 1, -1))
    s.note("an API that nobody knows", s.answer_to(("ApiVersions", 0, 1)))
    s.send_frame(struct.pack(">hhih", 3, 99, 1, -1))
    s.note("Metadata of a version that nobody knows", s.answer_to(("Metadata", 0, 1)))
    s.send_frame(struct.pack(">hhih", 1, 3, 1, -1) + bytes(40))
    s.note("Fetch below the floor", s.answer_to(("Fetch", 4, 1)))
    s.send_frame(struct.pack(">hhih", 3, 1, 1, -1) + struct.pack(">i", 1_000_000))
    s.note("an array of more than the frame", s.answer_to(("Metadata", 1, 1)))
    s.send_frame(b"")
    s.note("an empty frame", s.answer_to(("Metadata", 1, 1)))


def metadata(s):
    s.topic("cmp-meta", 3)
    for version in range(14):
        s.ask("by name", "Metadata", version, {"Topics": [{"Name": "cmp-meta"}]})
    s.ask("v0 without a name means all", "Metadata", 0, {"Topics": []})
    for version in (1, 5, 9, 12):
        s.ask("an empty list means none", "Metadata", version, {"Topics": []})
        everything = s.quietly("Metadata", version, {"Topics": None})
        s.note(f"null means all (v{version})",
               "cmp-meta" in [topic["Name"] for topic in everything["Topics"]])
    for version in (4, 9, 12):
        s.ask("unknown, not to be made", "Metadata", version, {
            "Topics": [{"Name": "cmp-nobody"}], "AllowAutoTopicCreation": False})
    for name in NOT_NAMES:
        for version in (4, 12):
            s.ask(f"not a name: {name[:9]!r}", "Metadata", version,
                  {"Topics": [{"Name": name}], "AllowAutoTopicCreation": True})
    s.ask("an unknown id", "Metadata", 12, {"Topics": [{"TopicId": UNKNOWN_ID, "Name": None}]})
    s.ask("the same topic twice", "Metadata", 9,
          {"Topics": [{"Name": "cmp-meta"}, {"Name": "cmp-meta"}]})
    s.ask("authorized operations asked for", "Metadata", 8, {
        "Topics": [{"Name": "cmp-meta"}], "IncludeTopicAuthorizedOperations": True,
        "IncludeClusterAuthorizedOperations": True})


def metadata_makes_topics(s):
    answer = s.quietly("Metadata", 9, {"Topics": [{"Name": "cmp-auto"}]})
    s.note("an unknown name is there or being made", answer["Topics"][0]["ErrorCode"] in (0, 3, 5))
    s.topic("cmp-auto")  # Exists by now or is on its way: this waits until it serves.
    s.ask("it is there", "Metadata", 9, {"Topics": [{"Name": "cmp-auto"}]})


def create(s, words, version, timeout=10_000, validate=False, **topic):
    topic = {"Name": "cmp-made", "NumPartitions": 1, "ReplicationFactor": 1} | topic
    s.ask(words, "CreateTopics", version, {"Topics": [topic], "timeoutMs": timeout,
                                           "validateOnly": validate})


def create_topics(s):
    for version in range(2, 8):
        create(s, "a topic", version, Name=f"cmp-made-{version}", NumPartitions=2)
    create(s, "a topic of defaults", 4, Name="cmp-defaults", NumPartitions=-1, ReplicationFactor=-1)
    create(s, "defaults below v4", 3, Name="cmp-defaults-3", NumPartitions=-1, ReplicationFactor=-1)
    create(s, "one that is there", 7, Name="cmp-made-7")
    create(s, "only to be looked at", 7, Name="cmp-looked-at", validate=True)
    create(s, "one that is there, only to be looked at", 7, Name="cmp-made-7", validate=True)
    for name in NOT_NAMES:
        create(s, f"not a name: {name[:9]!r}", 7, Name=name)
    create(s, "a name like another", 7, Name="cmp_made.7")
    create(s, "a name like that", 7, Name="cmp.made_7")
    for count in (0, -2):
        create(s, f"{count} partitions", 7, Name="cmp-none", NumPartitions=count)
        create(s, f"replication {count}", 7, Name="cmp-none", ReplicationFactor=count)
    create(s, "more replicas than brokers", 7, Name="cmp-none", ReplicationFactor=3)
    by_hand = [{"PartitionIndex": 0, "BrokerIds": [1]}, {"PartitionIndex": 1, "BrokerIds": [1]}]
    create(s, "assigned by hand", 7, Name="cmp-by-hand", NumPartitions=-1, ReplicationFactor=-1,
           Assignments=by_hand)
    create(s, "assigned and counted", 7, Name="cmp-none", Assignments=by_hand)
    create(s, "assigned to a stranger", 7, Name="cmp-none", NumPartitions=-1, ReplicationFactor=-1,
           Assignments=[{"PartitionIndex": 0, "BrokerIds": [77]}])
    create(s, "assigned with a hole", 7, Name="cmp-none", NumPartitions=-1, ReplicationFactor=-1,
           Assignments=by_hand[1:])
    s.ask("twice in one request", "CreateTopics", 7, {"timeoutMs": 1000, "Topics": [
        {"Name": "cmp-twice", "NumPartitions": 1, "ReplicationFactor": 1}] * 2})
    s.ask("none", "CreateTopics", 7, {"timeoutMs": 1000})


def create_with_configs(s):
    configs = {"cleanup.policy": "compact", "retention.ms": "-1", "segment.bytes": "1048576",
               "max.message.bytes": "2000", "message.timestamp.type": "LogAppendTime",
               "compression.type": "producer", "min.insync.replicas": "1", "flush.ms": "1000",
               "unclean.leader.election.enable": "true"}
    for name, value in configs.items():
        create(s, f"{name} = {value}", 5, Name=f"cmp-with-{name}",
               Configs=[{"Name": name, "Value": value}])
    wrong = {"no.such.config": "1", "retention.ms": "long", "cleanup.policy": "burn",
             "segment.bytes": "1", "max.message.bytes": "-1", "message.timestamp.type": "Sometimes",
             "min.insync.replicas": "0", "compression.type": "rar",
             "unclean.leader.election.enable": "perhaps"}
    for name, value in wrong.items():
        create(s, f"{name} = {value}", 7, Name="cmp-none", Configs=[{"Name": name, "Value": value}])
    create(s, "a config without a value", 7, Name="cmp-none",
           Configs=[{"Name": "retention.ms", "Value": None}])


def delete_topics(s):
    for version in range(1, 7):
        s.topic("cmp-doomed")
        asked = ({"Topics": [{"Name": "cmp-doomed"}]} if version > 5
                 else {"TopicNames": ["cmp-doomed"]})
        s.ask("a topic", "DeleteTopics", version, asked | {"TimeoutMs": 10_000})
        unknown = ({"Topics": [{"Name": "cmp-nobody"}]} if version > 5
                   else {"TopicNames": ["cmp-nobody"]})
        s.ask("an unknown one", "DeleteTopics", version, unknown | {"TimeoutMs": 1000})
    identity = s.topic("cmp-doomed")
    s.ask("by name and id at once", "DeleteTopics", 6, {"TimeoutMs": 1000, "Topics": [
        {"Name": "cmp-doomed", "TopicId": identity}]})
    s.ask("by id", "DeleteTopics", 6, {"TimeoutMs": 10_000, "Topics": [
        {"Name": None, "TopicId": identity}]})
    s.ask("by an unknown id", "DeleteTopics", 6, {"TimeoutMs": 1000, "Topics": [
        {"Name": None, "TopicId": UNKNOWN_ID}]})
    s.topic("cmp-doomed")
    s.ask("twice in one request", "DeleteTopics", 4, {"TopicNames": ["cmp-doomed"] * 2,
                                                     "TimeoutMs": 1000})


def describe_configs(s):
    s.topic("cmp-configs", retention_ms="60000", cleanup_policy="compact")
    some = ["cleanup.policy", "retention.ms", "max.message.bytes", "segment.bytes"]
    for version in range(1, 5):
        s.ask("some of a topic's", "DescribeConfigs", version, {"Resources": [
            {"ResourceType": 2, "ResourceName": "cmp-configs", "ConfigurationKeys": some}]})
    for words, keys in (("all of a topic's", None), ("none of a topic's", []),
                        ("an unknown one", ["no.such.config"])):
        s.ask(words, "DescribeConfigs", 4, {"Resources": [
            {"ResourceType": 2, "ResourceName": "cmp-configs", "ConfigurationKeys": keys}]})
    s.ask("with synonyms", "DescribeConfigs", 4, {"IncludeSynonyms": True, "Resources": [
        {"ResourceType": 2, "ResourceName": "cmp-configs", "ConfigurationKeys": some}]})
    for words, kind, name in (("an unknown topic", 2, "cmp-nobody"), ("not a topic name", 2, "a/b"),
                              ("no topic name", 2, ""), ("another broker", 4, "77"),
                              ("not a broker", 4, "x"), ("an unknown kind", 99, "x")):
        s.ask(words, "DescribeConfigs", 4, {"Resources": [
            {"ResourceType": kind, "ResourceName": name, "ConfigurationKeys": some}]})
    s.ask("the broker's own", "DescribeConfigs", 4, {"Resources": [
        {"ResourceType": 4, "ResourceName": "1",
         "ConfigurationKeys": ["message.max.bytes", "auto.create.topics.enable", "node.id"]}]})


def describe_cluster(s):
    for version in range(3):
        s.ask("the cluster", "DescribeCluster", version, {})
    s.ask("with operations", "DescribeCluster", 0, {"IncludeClusterAuthorizedOperations": True})
    s.ask("controllers", "DescribeCluster", 1, {"EndpointType": 2})


def describe_topic_partitions(s):
    s.topic("cmp-parts", 5)

    def ask(words, limit=100, cursor=None, names=("cmp-parts",)):
        s.ask(words, "DescribeTopicPartitions", 0, {
            "Topics": [{"Name": name} for name in names], "ResponsePartitionLimit": limit,
            "Cursor": cursor})
    ask("a topic")
    ask("its first two partitions", limit=2)
    ask("from its third", cursor={"TopicName": "cmp-parts", "PartitionIndex": 3})
    ask("from behind its end", cursor={"TopicName": "cmp-parts", "PartitionIndex": 9})
    ask("an unknown one", names=("cmp-nobody", "cmp-parts"))
    ask("not a name", names=("a/b",))


CASES = [api_versions, unknown_requests, metadata, metadata_makes_topics, create_topics,
         create_with_configs, delete_topics, describe_configs, describe_cluster,
         describe_topic_partitions]
