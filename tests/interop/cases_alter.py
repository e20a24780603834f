"""Raw requests that change topics that exist, and what else administration asks of one node."""

SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32


def partition_count(s, name):
    s.catch_up()
    answer = s.quietly("Metadata", 12, {"Topics": [{"Name": name}]})
    return len(answer["Topics"][0]["Partitions"])


def create_partitions(s):
    def ask(words, *topics, version=3, **more):
        s.ask(words, "CreatePartitions", version, {"TimeoutMs": 10_000, "Topics": [
            {"Name": name, "Count": count, "Assignments": assignments and [
                {"BrokerIds": ids} for ids in assignments]}
            for name, count, assignments in topics]} | more)
    for version in range(4):
        name = f"cmp-grow-{version}"
        s.topic(name)
        ask("three", (name, 3, None), version=version)
        s.note(f"three it has (v{version})", partition_count(s, name))
    name = "cmp-grow-3"
    ask("as many as there are", (name, 3, None))
    for count in (2, 0, -1):
        ask(f"{count}, which is fewer", (name, count, None))
    ask("only to be looked at", (name, 5, None), ValidateOnly=True)
    s.note("and not made", partition_count(s, name))
    ask("an unknown topic", ("cmp-nobody", 3, None))
    ask("not a name", ("a/b", 3, None))
    ask("no name", ("", 3, None))
    ask("assigned", (name, 4, [[1]]))
    ask("assigned too few", (name, 6, [[1]]))
    ask("assigned too many", (name, 5, [[1], [1]]))
    ask("assigned to a stranger", (name, 5, [[77]]))
    ask("assigned to nobody", (name, 5, [[]]))
    ask("assigned to one twice", (name, 5, [[1, 1]]))
    ask("an empty assignment", (name, 5, []))
    ask("one good, one not", ("cmp-grow-0", 4, None), ("cmp-nobody", 4, None))
    ask("twice", ("cmp-grow-1", 4, None), ("cmp-grow-1", 5, None))
    ask("none")


class Alterations:
    """Of one topic; `shown` are the configs that are noted after each step."""

    def __init__(self, s, topic, shown):
        self.s, self.topic, self.shown = s, topic, shown

    def note(self, words):
        self.s.catch_up()
        answer = self.s.quietly("DescribeConfigs", 4, {"IncludeSynonyms": True, "Resources": [
            {"ResourceType": TOPIC, "ResourceName": self.topic, "ConfigurationKeys": self.shown}]})
        self.s.note(words, {c["Name"]: (c["Value"], c["ConfigSource"], c["ReadOnly"])
                            for c in answer["Results"][0]["Configs"]})

    def step(self, words, *changes, version=1, kind=TOPIC, name=None, **more):
        self.s.ask(words, "IncrementalAlterConfigs", version, {"Resources": [
            {"ResourceType": kind, "ResourceName": self.topic if name is None else name,
             "Configs": [{"Name": key, "ConfigOperation": operation, "Value": value}
                         for key, operation, value in changes]}]} | more)
        if kind == TOPIC:
            self.note(f"{words}: then (v{version})")

    def replace(self, words, configs, version=2, kind=TOPIC, name=None, **more):
        self.s.ask(words, "AlterConfigs", version, {"Resources": [
            {"ResourceType": kind, "ResourceName": self.topic if name is None else name,
             "Configs": [{"Name": key, "Value": value} for key, value in configs]}]} | more)
        if kind == TOPIC:
            self.note(f"{words}: then (old v{version})")


def incremental_alter_configs(s):
    s.topic("cmp-alter")
    topic = Alterations(s, "cmp-alter", ["retention.ms", "cleanup.policy", "max.message.bytes",
                                         "leader.replication.throttled.replicas"])
    for version in (0, 1):
        topic.step("set", ("retention.ms", SET, "60000"), ("max.message.bytes", SET, "2000"),
                   version=version)
        topic.step("delete", ("retention.ms", DELETE, None), version=version)
    topic.step("set to what it is", ("max.message.bytes", SET, "2000"))
    topic.step("delete with a value", ("max.message.bytes", DELETE, "5"))
    topic.step("delete what is not set", ("max.message.bytes", DELETE, None))
    topic.step("delete what is unknown", ("no.such.config", DELETE, None))
    topic.step("set to what is the default", ("retention.ms", SET, "604800000"))
    topic.step("only to be looked at", ("retention.ms", SET, "1"), ValidateOnly=True)
    topic.step("a wrong one, only to be looked at", ("retention.ms", SET, "x"), ValidateOnly=True)
    topic.step("append to the default", ("cleanup.policy", APPEND, "compact"))
    topic.step("append what is there", ("cleanup.policy", APPEND, "compact"))
    topic.step("subtract", ("cleanup.policy", SUBTRACT, "delete"))
    topic.step("subtract what is not there", ("cleanup.policy", SUBTRACT, "delete"))
    topic.step("append two", ("cleanup.policy", APPEND, "delete,compact"))
    topic.step("append nonsense", ("cleanup.policy", APPEND, "burn"))
    topic.step("append nothing", ("cleanup.policy", APPEND, ""))
    topic.step("append a comma", ("cleanup.policy", APPEND, ","))
    topic.step("append with a blank", ("cleanup.policy", APPEND, " compact"))
    topic.step("a list to start with", ("leader.replication.throttled.replicas", SET, "0:1,1:1"))
    topic.step("append a replica", ("leader.replication.throttled.replicas", APPEND, "2:1"))
    topic.step("append a replica that is there",
               ("leader.replication.throttled.replicas", APPEND, "0:1,2:1"))
    topic.step("subtract replicas",
               ("leader.replication.throttled.replicas", SUBTRACT, "1:1,2:1"))
    topic.step("append to a number", ("retention.ms", APPEND, "1"))
    topic.step("subtract from a number", ("retention.ms", SUBTRACT, "1"))
    topic.step("append to what is unknown", ("no.such.config", APPEND, "1"))
    topic.step("an unknown one", ("no.such.config", SET, "1"))
    topic.step("one good, one not", ("retention.ms", SET, "7"), ("segment.ms", SET, "soon"))
    topic.step("null", ("retention.ms", SET, None))
    topic.step("append null", ("cleanup.policy", APPEND, None))
    topic.step("no such operation", ("retention.ms", 4, "1"))
    topic.step("an operation below 0", ("retention.ms", -1, "1"))
    topic.step("a key twice", ("retention.ms", SET, "1"), ("retention.ms", SET, "2"))
    topic.step("a key set and deleted", ("retention.ms", SET, "1"), ("retention.ms", DELETE, None))
    topic.step("no changes")
    topic.step("a blank value", ("retention.ms", SET, ""))
    topic.step("a value between blanks", ("retention.ms", SET, " 5 "))
    for words, name in (("an unknown topic", "cmp-nobody"), ("not a name", "a/b"), ("no name", "")):
        topic.step(words, ("retention.ms", SET, "1"), name=name)
        topic.step(words + ", a wrong value", ("retention.ms", SET, "x"), name=name)
        topic.step(words + ", what Leat does not do", ("compression.type", SET, "lz4"), name=name)
        topic.step(words + ", that and a wrong value", ("compression.type", SET, "lz4"),
                   ("retention.ms", SET, "x"), name=name)
        topic.replace(words + ", replaced by what Leat does not do", [("compression.type", "lz4")],
                      name=name)


def alter_resources(s):
    s.topic("cmp-alter-kinds")
    topic = Alterations(s, "cmp-alter-kinds", ["retention.ms"])
    for name in ("1", "", "2", "x", "-1"):
        topic.step(f"broker {name!r}, nothing", kind=BROKER, name=name)
        topic.step(f"broker {name!r}, read-only", ("log.dirs", SET, "x"), kind=BROKER, name=name)
        topic.replace(f"broker {name!r}, replaced by read-only", [("node.id", "1")], kind=BROKER,
                      name=name)
    topic.step("broker, read-only, only to be looked at", ("broker.id", SET, "1"), kind=BROKER,
               name="1", ValidateOnly=True)
    topic.step("broker, delete read-only", ("node.id", DELETE, None), kind=BROKER, name="1")
    for kind in (0, 1, 3, 99, -1):
        topic.step(f"kind {kind}", ("a", SET, "b"), kind=kind, name="x")
        topic.replace(f"kind {kind}, replaced", [("a", "b")], kind=kind, name="x")
    topic.step("loggers of another broker", ("root", SET, "INFO"), kind=LOGGER, name="2")
    topic.replace("loggers, the old way", [("root", "INFO")], kind=LOGGER, name="1")
    s.ask("a resource twice", "IncrementalAlterConfigs", 1, {"Resources": [
        {"ResourceType": TOPIC, "ResourceName": "cmp-alter-kinds", "Configs": [
            {"Name": "retention.ms", "ConfigOperation": SET, "Value": value}]}
        for value in ("1", "2")]})
    topic.note("a resource twice: then")
    s.ask("two resources, one good", "IncrementalAlterConfigs", 1, {"Resources": [
        {"ResourceType": TOPIC, "ResourceName": name, "Configs": [
            {"Name": "retention.ms", "ConfigOperation": SET, "Value": "3"}]}
        for name in ("cmp-alter-kinds", "cmp-nobody")]})
    topic.note("two resources, one good: then")
    s.ask("none", "IncrementalAlterConfigs", 1, {})


def broker_configs(s):
    """What topics default to, changed while the broker serves, and taken back at the end."""
    s.topic("cmp-by-default")
    s.topic("cmp-by-itself", max_message_bytes="3000")
    names = {"1": BROKER, "": BROKER, "cmp-by-default": TOPIC, "cmp-by-itself": TOPIC}
    keys = {TOPIC: ["max.message.bytes", "retention.bytes", "cleanup.policy"],
            BROKER: ["message.max.bytes", "log.retention.bytes", "log.cleanup.policy"]}
    brokers = Alterations(s, "cmp-by-default", [])

    def described():
        answer = s.quietly("DescribeConfigs", 4, {"IncludeSynonyms": True, "Resources": [
            {"ResourceType": kind, "ResourceName": name, "ConfigurationKeys": keys[kind]}
            for name, kind in names.items()]})
        return {result["ResourceName"] or "all brokers": {config["Name"]: {
            "value": config["Value"], "source": config["ConfigSource"],
            "read-only": config["ReadOnly"],
            "layers": [[one["Name"], one["Value"], one["Source"]] for one in config["Synonyms"]]}
            for config in result["Configs"]} for result in answer["Results"]}

    def shown(words):
        s.catch_up()
        for name, configs in described().items():
            s.note(f"{words}: {name}", configs)

    def ask(words, name, *changes, **more):
        brokers.step(words, *changes, kind=BROKER, name=name, **more)

    def step(words, *rest, **more):
        ask(words, *rest, **more)
        shown(words)

    shown("at first")
    step("for all", "", ("message.max.bytes", SET, "2000"), ("log.retention.bytes", SET, "5000000"))
    step("for one", "1", ("message.max.bytes", SET, "4000"))
    step("only to be looked at", "1", ("message.max.bytes", SET, "1"), ValidateOnly=True)
    step("taken back for one", "1", ("message.max.bytes", DELETE, None))
    step("a list", "", ("log.cleanup.policy", APPEND, "compact"))
    step("less of a list", "", ("log.cleanup.policy", SUBTRACT, "delete"))
    for words, name in (("one", "1"), ("all", "")):
        ask(f"a wrong value for {words}", name, ("message.max.bytes", SET, "x"))
        ask(f"out of range for {words}", name, ("log.segment.bytes", SET, "1"))
        ask(f"one good, one wrong for {words}", name, ("log.roll.ms", SET, "5"),
            ("log.flush.interval.messages", SET, "x"))
        ask(f"one good, one that is read-only for {words}", name, ("log.roll.ms", SET, "5"),
            ("node.id", SET, "5"))
        ask(f"append to a number for {words}", name, ("message.max.bytes", APPEND, "1"))
        ask(f"null for {words}", name, ("message.max.bytes", SET, None))
        ask(f"delete what is not set for {words}", name, ("log.roll.ms", DELETE, None))
        ask(f"acknowledgements for {words}", name, ("min.insync.replicas", SET, "1"))
        ask(f"no acknowledgements for {words}", name, ("min.insync.replicas", DELETE, None))
    shown("then")
    brokers.replace("replaced for all", [("message.max.bytes", "6000"), ("min.insync.replicas", "1")],
                    kind=BROKER, name="")
    shown("replaced for all")
    brokers.replace("by nothing for one", [], kind=BROKER, name="1")
    brokers.replace("by what Kafka insists on for all", [("min.insync.replicas", "1")], kind=BROKER, name="")
    shown("at last")


def alter_configs(s):
    s.topic("cmp-replace", retention_ms="60000", cleanup_policy="compact")
    topic = Alterations(s, "cmp-replace", ["retention.ms", "cleanup.policy", "segment.ms"])
    for version in range(3):
        topic.replace("replaced", [("segment.ms", f"{version + 5}")], version=version)
    topic.replace("by a wrong one", [("segment.ms", "x")])
    topic.replace("by an unknown one", [("no.such.config", "x")])
    topic.replace("by null", [("segment.ms", None)])
    topic.replace("a key twice", [("segment.ms", "1"), ("segment.ms", "2")])
    topic.replace("only to be looked at", [("retention.ms", "1")], ValidateOnly=True)
    topic.replace("by none", [])
    for words, name in (("an unknown topic", "cmp-nobody"), ("not a name", "a/b"), ("no name", "")):
        topic.replace(words, [("retention.ms", "1")], name=name)


def list_config_resources(s):
    s.topic("cmp-listed")

    def ask(words, version, types):
        answer = s.quietly("ListConfigResources", version, {"ResourceTypes": types})
        found = sorted((r["ResourceType"], r["ResourceName"]) for r in answer["ConfigResources"]
                       if not r["ResourceName"].startswith("cmp-") or r["ResourceName"] == "cmp-listed")
        s.note(f"{words} (v{version})", {"ErrorCode": answer["ErrorCode"], "found": [
            f"{kind} {name}" for kind, name in found if not name.startswith("__")]})
    ask("all", 1, [])
    for kind in (TOPIC, BROKER, METRICS, GROUP):
        ask(f"kind {kind}", 1, [kind])
    ask("topics and brokers", 1, [TOPIC, BROKER])
    ask("a kind twice", 1, [TOPIC, TOPIC])
    for kind in (0, 1, 3, 99, -1):
        ask(f"kind {kind}", 1, [kind])
    ask("client metrics", 0, [])


def elections(s):
    s.topic("cmp-elected", 2)
    for version in range(3):
        for kind in ((0, 1, 2, -1) if version else (0,)):
            s.ask(f"kind {kind}", "ElectLeaders", version, {
                "ElectionType": kind, "TimeoutMs": 5000, "TopicPartitions": [
                    {"Topic": "cmp-elected", "Partitions": [0, 1, 7, -1]},
                    {"Topic": "cmp-nobody", "Partitions": [0]},
                    {"Topic": "a/b", "Partitions": [0]}]})
        s.ask("of nothing", "ElectLeaders", version, {"TimeoutMs": 5000, "TopicPartitions": []})
        answer = s.quietly("ElectLeaders", version, {"TimeoutMs": 5000, "TopicPartitions": None})
        results = {r["Topic"]: r["PartitionResult"] for r in answer["ReplicaElectionResults"]}
        s.note(f"of all (v{version})", {"ErrorCode": answer.get("ErrorCode"),
                                        "cmp-elected": results.get("cmp-elected", "absent")})


def reassignments(s):
    s.topic("cmp-moved")
    for words, topics in (("all", None), ("none", []), ("a topic", ["cmp-moved"]),
                          ("an unknown one", ["cmp-nobody"]), ("not a name", ["a/b"])):
        s.ask(words, "ListPartitionReassignments", 0, {"TimeoutMs": 5000, "Topics": topics and [
            {"Name": name, "PartitionIndexes": [0]} for name in topics]})


def quorum(s):
    def ask(words, version, *topics):
        s.ask(words, "DescribeQuorum", version, {"Topics": [
            {"TopicName": name, "Partitions": [{"PartitionIndex": index} for index in indexes]}
            for name, *indexes in topics]})
    for version in range(3):
        ask("of the metadata", version, ("__cluster_metadata", 0))
        ask("another partition", version, ("__cluster_metadata", 1))
        ask("another topic", version, ("cmp-nobody", 0))
        ask("no partition", version, ("__cluster_metadata",))
        ask("nothing", version)
        ask("two partitions", version, ("__cluster_metadata", 0, 1))


CASES = [create_partitions, incremental_alter_configs, alter_resources, broker_configs, alter_configs,
         list_config_resources, elections, reassignments, quorum]
