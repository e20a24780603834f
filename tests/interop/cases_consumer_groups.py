"""Raw requests of consumer groups of KIP-848's protocol, in which the broker assigns: what members
hear from ConsumerGroupHeartbeat, and what all other requests about groups say of such a group."""
import time

from cases_groups import (NONE, alone, committing, fetching, joining, leaving, ready, syncing)
from session import PATIENCE_S

MINE, YOURS, THIRD = (f"{letter * 8}-0848-4848-8848-{letter * 12}" for letter in "abc")
OWNS_NOTHING = {"TopicPartitions": []}


def beat(group, member, epoch, **more):
    """A heartbeat in which nothing has changed, but for `more`."""
    return {"GroupId": group, "MemberId": member, "MemberEpoch": epoch} | more


def coming(group, member, topics=("cmp-shared",), **more):
    """The first heartbeat, which says everything."""
    return beat(group, member, 0, RebalanceTimeoutMs=60_000, SubscribedTopicNames=list(topics),
                **OWNS_NOTHING) | more


def owning(assignment):
    """What a member says that it owns, when it has what it was told."""
    return {"TopicPartitions": [{"TopicId": each["TopicId"], "Partitions": each["Partitions"]}
                                for each in assignment["TopicPartitions"]]}


def kept(identity, *partitions):
    return {"TopicPartitions": [{"TopicId": identity, "Partitions": list(partitions)}]}


class Consumer:
    """One member: its id and epoch, and what it owns, as its answers told it. A broker may assign
    at once or a moment later: an answer is what the member has heard when it has assigned."""

    def __init__(self, s, group, member, version=1):
        self.s, self.group, self.member, self.version = s, group, member, version
        self.epoch, self.owned = 0, OWNS_NOTHING

    def hear(self, answer):
        if answer.get("ErrorCode") == 0:
            self.member, self.epoch = answer["MemberId"], answer["MemberEpoch"]
            if answer["Assignment"] is not None:
                self.owned = owning(answer["Assignment"])
        return answer

    def send(self, message):
        return self.hear(self.s.quietly("ConsumerGroupHeartbeat", self.version, message))

    def ask(self, words, message):
        answer = self.send(message)
        if answer.get("ErrorCode") == 0 and answer["MemberEpoch"] >= 0:
            wait_for_target(self.s, self.group)
            later = self.send(beat(self.group, self.member, self.epoch))
            answer = later | {"Assignment": later["Assignment"] or answer["Assignment"]}
        self.s.note(f"{words} (v{self.version})", answer)

    def comes(self, words, **more):
        self.ask(words, coming(self.group, self.member, **more))

    def beats(self, words, **more):
        self.ask(words, beat(self.group, self.member, self.epoch, **more))

    def has(self, words):
        self.beats(words, **self.owned)

    def waits_for(self, words, topics):
        """Until it is assigned these; when that is, and in which epoch, brokers may differ in."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            self.send(beat(self.group, self.member, self.epoch, **self.owned))
            if sorted(self.s.topics.get(each["TopicId"], "")
                      for each in self.owned["TopicPartitions"]) == sorted(topics):
                return self.s.note(words, self.owned)
            time.sleep(0.05)
        raise RuntimeError(f"{topics} are not assigned, but {self.owned}")


def wait_for_target(s, group):
    """Until the newest epoch of the group has an assignment."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found, = s.quietly("ConsumerGroupDescribe", 1, {"GroupIds": [group]})["Groups"]
        if found["GroupEpoch"] == found["AssignmentEpoch"]:
            return
        time.sleep(0.02)
    raise RuntimeError(f"{group} is not assigned")


def described(s, words, *groups, version=1, **more):
    return s.ask(words, "ConsumerGroupDescribe", version, {"GroupIds": list(groups)} | more)


def shared(s):
    """The topic of these cases; its id."""
    ready(s)
    identity = s.topic("cmp-shared", 3)
    s.catch_up()
    return identity


def consumer_group_lives(s):
    identity = shared(s)
    for version in (0, 1):
        group = f"cmp-consumers-{version}"
        named = (MINE, YOURS) if version else ("", "")
        one, two = (Consumer(s, group, each, version) for each in named)
        one.comes("one comes")
        described(s, f"described with one {version}", group, version=version)
        one.beats("one, before it has it")
        one.has("one has it")
        one.beats("one goes on")
        described(s, f"described as it is {version}", group, version=version)
        two.comes("two comes")
        described(s, f"described in the middle {version}", group, version=version)
        one.beats("one is to give back")
        two.beats("two waits")
        s.ask(f"listed in the middle {version}", "ListGroups", 5, {"TypesFilter": ["consumer"]})
        described(s, f"described while one gives back {version}", group, version=version)
        one.beats("one has not yet", **kept(identity, 0, 1, 2))
        one.has("one has given back")
        two.beats("two gets")
        two.has("two has it")
        described(s, f"described with two {version}", group, version=version)
        s.ask(f"listed {version}", "ListGroups", 5, {"StatesFilter": ["Stable"],
                                                     "TypesFilter": ["consumer"]})
        two.beats("two goes", MemberEpoch=-1)
        two.beats("two, gone")
        two.beats("two goes again", MemberEpoch=-1)
        one.beats("one gets all")
        one.has("one has all")
        one.beats("one goes", MemberEpoch=-1)
        described(s, f"described empty {version}", group, version=version)
        s.ask(f"listed empty {version}", "ListGroups", 5, {"StatesFilter": ["Empty"],
                                                           "TypesFilter": ["consumer"]})
        s.ask(f"deleted {version}", "DeleteGroups", 2, {"GroupsNames": [group]})
        described(s, f"described deleted {version}", group, version=version)


def consumer_subscriptions(s):
    shared(s)
    s.topic("cmp-other-shared", 2)
    s.catch_up()
    one = Consumer(s, "cmp-subscribed", MINE)
    one.comes("to nothing that there is", topics=["cmp-not-yet"])
    described(s, "described without topics", one.group)
    one.beats("to two", SubscribedTopicNames=["cmp-other-shared", "cmp-shared"])
    one.has("has two")
    one.beats("to the same again", SubscribedTopicNames=["cmp-shared", "cmp-other-shared"])
    one.beats("to one", SubscribedTopicNames=["cmp-shared"])
    one.has("has one")
    one.beats("to none", SubscribedTopicNames=[])
    one.has("has none")
    one.beats("to one twice", SubscribedTopicNames=["cmp-shared", "cmp-shared"])
    described(s, "described with one twice", one.group)
    one.beats("to what is not there", SubscribedTopicNames=["cmp-shared", "cmp-not-yet"])
    described(s, "described with what is not there", one.group)
    one.beats("of another time", RebalanceTimeoutMs=30_000)
    one.beats("with a rack", RackId="r1")
    one.beats("by range", ServerAssignor="range")
    described(s, "described by range", one.group)
    one.beats("by uniform", ServerAssignor="uniform")
    described(s, "described by uniform", one.group)
    one.beats("by any", ServerAssignor="")
    one.beats("of another instance", InstanceId="x")
    described(s, "described at the end", one.group)


def consumer_patterns(s):
    shared(s)
    s.topic("cmp-pattern-a", 1)
    s.topic("cmp-pattern-b", 1)
    s.catch_up()
    one = Consumer(s, "cmp-patterns", MINE)
    for words, pattern in (("no end", "(a"), ("a set without end", "[a"), ("nothing to repeat", "*"),
                           ("a back reference", "(a)\\1"), ("a look ahead", "a(?=b)")):
        one.comes(f"comes by {words}", SubscribedTopicRegex=pattern, topics=[])
    one.comes("comes by no pattern", SubscribedTopicRegex="", topics=[])
    both = ["cmp-pattern-a", "cmp-pattern-b"]
    # A group each, for Kafka resolves a group's patterns every ten seconds at most.
    for words, found, more in (
            ("a pattern", both, {"SubscribedTopicRegex": "cmp-pattern-.*", "SubscribedTopicNames": None}),
            ("a pattern and a name", ["cmp-pattern-a", "cmp-shared"], {
                "SubscribedTopicRegex": "cmp-pattern-a", "SubscribedTopicNames": ["cmp-shared"]}),
            ("whole names only", ["cmp-shared"], {
                "SubscribedTopicRegex": "cmp-pat", "SubscribedTopicNames": ["cmp-shared"]}),
            ("letters of any case", both, {"SubscribedTopicRegex": "(?i)CMP-PATTERN-[ab]"})):
        one = Consumer(s, f"cmp-by-{words.replace(' ', '-')}", MINE)
        one.send(coming(one.group, MINE, topics=[]) | more)
        one.waits_for(f"has {words}", found)
        one.beats(f"by no end after {words}", SubscribedTopicRegex="(a")
        one.send(beat(one.group, MINE, one.epoch, SubscribedTopicRegex="", SubscribedTopicNames=[]))
        one.waits_for(f"has nothing after {words}", [])
        one.beats(f"goes after {words}", MemberEpoch=-1)


def wrong_heartbeats(s):
    identity = shared(s)
    group = "cmp-wrong-consumers"
    whole = coming(group, MINE)
    without = lambda key: {each: value for each, value in whole.items() if each != key}
    for words, message in {
            "no group": coming("", MINE), "a blank group": coming("  ", MINE), "no member": coming(group, ""),
            "no time": without("RebalanceTimeoutMs"), 
            "nothing subscribed": without("SubscribedTopicNames"), "names null": whole | {
                "SubscribedTopicNames": None}, "nothing said of what it owns": without("TopicPartitions"),
            "owns already": whole | kept(identity, 0), "an empty instance": whole | {"InstanceId": ""},
            "an empty rack": whole | {"RackId": ""}, "an unknown assignor": whole | {
                "ServerAssignor": "nobody"}, "epoch -3": whole | {"MemberEpoch": -3},
            "epoch -2, no instance": whole | {"MemberEpoch": -2}, "goes, unknown": beat(group, MINE, -1),
            "goes, static, unknown": beat(group, MINE, -2, InstanceId="one"),
            "epoch 1 of no group": beat(group, MINE, 1)}.items():
        for version in (0, 1):
            if words == "no member" and version == 0:
                continue
            s.ask(words, "ConsumerGroupHeartbeat", version, message)
    described(s, "described after that", group)
    one = Consumer(s, "cmp-epochs", MINE)
    one.comes("comes with no time", RebalanceTimeoutMs=0)
    for words, more in {"an older epoch": {"MemberEpoch": one.epoch - 1}, "a newer epoch": {
            "MemberEpoch": one.epoch + 1}, "owns another's": kept(identity, 0, 7), "owns what is not": kept(
                "00000000-0000-0000-0000-000000000007", 0), "comes again": coming(one.group, MINE),
            "says all again": coming(one.group, MINE) | {"MemberEpoch": one.epoch},
            "an unknown assignor": {"ServerAssignor": "nobody"}, "an empty rack": {"RackId": ""},
            "time 0": {"RebalanceTimeoutMs": 0}, "another member": {"MemberId": YOURS},
            "no member": {"MemberId": ""}, "another's leaves": {"MemberId": YOURS, "MemberEpoch": -1},
            "static, as it is none": {"MemberEpoch": -2, "InstanceId": "one"}}.items():
        one.beats(f"{words}, as member", **more)
    one.has("has it")
    one.beats("subscribes anew", SubscribedTopicNames=["cmp-shared", "cmp-grouped"])
    s.ask("the epoch before, owning", "ConsumerGroupHeartbeat", 1,
          beat(one.group, MINE, one.epoch - 1, **one.owned))
    s.ask("the epoch before", "ConsumerGroupHeartbeat", 1, beat(one.group, MINE, one.epoch - 1))
    s.ask("the epoch before, owning less", "ConsumerGroupHeartbeat", 1,
          beat(one.group, MINE, one.epoch - 1, **kept(identity, 0)))
    s.ask("the epoch before, owning more", "ConsumerGroupHeartbeat", 1,
          beat(one.group, MINE, one.epoch - 1, **kept(identity, 0, 1, 2, 3)))
    s.ask("two before", "ConsumerGroupHeartbeat", 1, beat(one.group, MINE, one.epoch - 2))
    described(s, "described after all", one.group)


def static_consumers(s):
    shared(s)
    group = "cmp-static-consumers"
    own = {"InstanceId": "one"}
    one, again = Consumer(s, group, MINE), Consumer(s, group, YOURS)
    one.comes("comes", **own)
    one.has("has it")
    described(s, "described", group)
    again.comes("comes while it is there", **own)
    one.beats("as another instance", InstanceId="two")
    one.beats("goes for a moment", MemberEpoch=-2, **own)
    described(s, "described without", group)
    one.beats("beats after it went", **own)
    s.ask("goes for a moment again", "ConsumerGroupHeartbeat", 1, beat(group, MINE, -2, **own))
    again.comes("comes back", **own)
    again.has("has it again")
    described(s, "described again", group)
    s.ask("beats as it was", "ConsumerGroupHeartbeat", 1, beat(group, MINE, 1, **own))
    s.ask("leaves as it was", "ConsumerGroupHeartbeat", 1, beat(group, MINE, -1, **own))
    s.ask("leaves as it was without a name", "ConsumerGroupHeartbeat", 1, beat(group, MINE, -1))
    s.ask("another's instance leaves", "ConsumerGroupHeartbeat", 1, beat(group, YOURS, -2, InstanceId="x"))
    s.ask("comes itself again", "ConsumerGroupHeartbeat", 1, coming(group, YOURS, **own))
    again.epoch = 0
    s.ask("commits as it was", "OffsetCommit", 9, committing(
        group, "cmp-shared", [(0, 1)], 1, MINE, GroupInstanceId="one"))
    s.ask("commits as it is", "OffsetCommit", 9, committing(
        group, "cmp-shared", [(0, 1)], 2, YOURS, GroupInstanceId="one"))
    s.ask("is removed by its instance", "LeaveGroup", 5, leaving(5, group, "", "one"))
    described(s, "described removed", group)
    one.member = THIRD
    one.comes("comes anew", **own)
    s.ask("leaves for good", "ConsumerGroupHeartbeat", 1, beat(group, THIRD, -1, **own))
    described(s, "described at the end", group)


def consumer_offsets(s):
    identity = shared(s)
    group, one = "cmp-consumer-offsets", None
    one = Consumer(s, group, MINE)
    one.comes("comes")
    one.has("has it")
    one.beats("subscribes anew", SubscribedTopicNames=["cmp-shared", "cmp-grouped"])
    one.has("has it anew")
    for version in (2, 7, 8, 9, 10):
        for words, epoch, member in (("as it is", one.epoch, MINE), ("older", one.epoch - 1, MINE),
                                     ("newer", one.epoch + 1, MINE), ("from nobody", one.epoch, YOURS),
                                     ("without a member", NONE, ""), ("without an epoch", NONE, MINE),
                                     ("without its name", one.epoch, ""), ("epoch 0", 0, MINE)):
            asked = committing(group, "cmp-shared", [(0, 5)], epoch, member)
            if version >= 10:
                asked["Topics"][0] |= {"TopicId": identity}
            s.ask(f"commits {words}", "OffsetCommit", version, asked)
    for version in (7, 8, 9, 10):
        for words, epoch, member in (("as it is", one.epoch, MINE), ("older", one.epoch - 1, MINE),
                                     ("newer", one.epoch + 1, MINE), ("of nobody", one.epoch, YOURS),
                                     ("without a member", NONE, None), ("with no member", NONE, ""),
                                     ("without an epoch", NONE, MINE), ("epoch 0", 0, MINE)):
            if version < 9 and words != "as it is":
                continue
            asked = fetching(version, group, "cmp-shared", [0])
            if version >= 9:
                asked["Groups"][0] |= {"MemberEpoch": epoch, "MemberId": member}
            if version >= 10:
                asked["Groups"][0]["Topics"] = [{"TopicId": identity, "PartitionIndexes": [0]}]
            s.ask(f"fetches {words}", "OffsetFetch", version, asked)
    for words, topic in (("subscribed", "cmp-shared"), ("not subscribed", "cmp-not-yet")):
        s.ask(f"deletes {words}", "OffsetDelete", 0, {"GroupId": group, "Topics": [
            {"Name": topic, "Partitions": [{"PartitionIndex": 0}]}]})
    one.beats("goes", MemberEpoch=-1)
    s.ask("commits, gone", "OffsetCommit", 9, committing(group, "cmp-shared", [(0, 5)], 2, MINE))
    for version in (8, 9):
        s.ask("commits to an empty group", "OffsetCommit", version,
              committing(group, "cmp-shared", [(0, 5)]))
    s.ask("deletes of an empty group", "OffsetDelete", 0, {"GroupId": group, "Topics": [
        {"Name": "cmp-shared", "Partitions": [{"PartitionIndex": 0}]}]})
    s.ask("commits with an epoch to no group", "OffsetCommit", 9,
          committing("cmp-no-consumers", "cmp-shared", [(0, 5)], 2, MINE))
    asked = fetching(9, "cmp-no-consumers", "cmp-shared", [0])
    asked["Groups"][0] |= {"MemberEpoch": 2, "MemberId": MINE}
    s.ask("fetches with an epoch of no group", "OffsetFetch", 9, asked)


CLASSIC_REQUESTS = (
    ("DescribeGroups", 5, lambda group: {"Groups": [group]}),
    ("DescribeGroups", 6, lambda group: {"Groups": [group]}),
    ("Heartbeat", 4, lambda group: {"GroupId": group, "GenerationId": 1, "MemberId": MINE}),
    ("SyncGroup", 5, lambda group: syncing(group, 1, MINE)),
    ("LeaveGroup", 2, lambda group: leaving(2, group, YOURS)),
    ("LeaveGroup", 5, lambda group: leaving(5, group, YOURS)),
    ("OffsetCommit", 8, lambda group: committing(group, "cmp-shared", [(0, 1)], 2, MINE)),
    ("JoinGroup", 9, lambda group: joining(group, protocols=[("range", b"\0\7junk")])),
    ("JoinGroup", 9, lambda group: joining(group, kind="connect")),
    ("JoinGroup", 3, lambda group: joining(group, MINE)),
    ("JoinGroup", 3, lambda group: joining(group, YOURS)),
    ("DeleteGroups", 2, lambda group: {"GroupsNames": [group]}))


def classic_requests_to_consumers(s):
    shared(s)
    group = "cmp-asked-as-classic"
    one = Consumer(s, group, MINE)
    one.comes("comes")
    for number, (api, version, message) in enumerate(CLASSIC_REQUESTS):
        s.ask(f"{number} {api}", api, version, message(group))
    described(s, "described after that", group)
    one.beats("beats after that")
    s.ask("goes by a classic request", "LeaveGroup", 5, leaving(5, group, MINE))
    for version in (5, 6):
        s.ask("described when empty", "DescribeGroups", version, {"Groups": [group]})
    for version in range(6):
        s.ask("lists", "ListGroups", version, {"TypesFilter": ["consumer"]} if version >= 5 else
              {"StatesFilter": ["Empty"]} if version >= 4 else {})
    s.ask("a classic member takes the empty group", "JoinGroup", 3, joining(group))
    described(s, "described as classic", group)


def heartbeats_to_classic_groups(s):
    shared(s)
    group = "cmp-opaque"
    alone(s, "of another kind", group, kind="connect")
    one = Consumer(s, group, MINE)
    one.comes("comes to another kind")
    one.beats("beats at a classic group", MemberEpoch=1)
    one.beats("goes from a classic group", MemberEpoch=-1)
    for version in (0, 1):
        described(s, f"described {version}", group, "cmp-nobody", "", version=version,
                  IncludeAuthorizedOperations=True)
    described(s, "nothing described")
    described(s, "one of each", "cmp-nobody", "cmp-nobody")
    own = "cmp-emptied"
    member, _ = alone(s, "classic", own)
    s.ask("classic leaves", "LeaveGroup", 3, leaving(3, own, member))
    one = Consumer(s, own, MINE)
    one.comes("takes the empty classic group")
    described(s, "described as consumer", own, IncludeAuthorizedOperations=True)
    s.ask("commits alone", "OffsetCommit", 8, committing("cmp-only-offsets", "cmp-shared", [(0, 1)]))
    one = Consumer(s, "cmp-only-offsets", MINE)
    one.comes("takes a group of offsets")
    s.ask("its offsets", "OffsetFetch", 8, fetching(8, "cmp-only-offsets", "cmp-shared", [0]))
    one.beats("goes", MemberEpoch=-1)


CASES = [consumer_group_lives, consumer_subscriptions, consumer_patterns, wrong_heartbeats,
         static_consumers, consumer_offsets, classic_requests_to_consumers,
         heartbeats_to_classic_groups]
