"""Raw requests of consumer groups of the classic protocol: one story after the other. A second member
needs a connection of its own, for a JoinGroup is not answered before the others have come."""
import time

from session import Session

RANGE, ROUND = ("range", b"\0\1range"), ("roundrobin", b"\0\1round")
NONE = -1  # Generation of who is in no group.


def beside(s):
    """Another connection, whose members are known by the same names."""
    other = Session(s.messages, s.bootstrap, s.now)
    other.members = s.members
    return other


def ready(s):
    """Waits until groups are coordinated, which at Apache Kafka begins with the first question."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        found = s.quietly("FindCoordinator", 3, {"Key": "cmp-first", "KeyType": 0})
        asked = s.quietly("OffsetFetch", 7, {"GroupId": "cmp-first", "Topics": None})
        if found.get("ErrorCode") == 0 and asked.get("ErrorCode") == 0:
            return
        time.sleep(0.05)
    raise RuntimeError("no coordinator to be had")


def joining(group, member="", protocols=(RANGE,), kind="consumer", session=30_000, **more):
    return {"GroupId": group, "MemberId": member, "ProtocolType": kind, "SessionTimeoutMs": session,
            "RebalanceTimeoutMs": 60_000,
            "Protocols": [{"Name": name, "Metadata": data} for name, data in protocols]} | more


def syncing(group, generation, member, assigned=(), **more):
    return {"GroupId": group, "GenerationId": generation, "MemberId": member,
            "Assignments": [{"MemberId": each, "Assignment": data} for each, data in assigned]} | more


def committing(group, topic, offsets, generation=NONE, member="", metadata="", **more):
    return {"GroupId": group, "GenerationIdOrMemberEpoch": generation, "MemberId": member,
            "Topics": [{"Name": topic, "Partitions": [
                {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedLeaderEpoch": -1,
                 "CommittedMetadata": metadata} for partition, offset in offsets]}]} | more


def fetching(version, group, topic, partitions, **more):
    topics = None if topic is None else [{"Name": topic, "PartitionIndexes": partitions}]
    if version >= 8:
        return {"Groups": [{"GroupId": group, "Topics": topics, "MemberEpoch": NONE,
                            "MemberId": None}]} | more
    return {"GroupId": group, "Topics": topics} | more


def leaving(version, group, member, instance=None):
    if version < 3:
        return {"GroupId": group, "MemberId": member}
    return {"GroupId": group, "Members": [{"MemberId": member, "GroupInstanceId": instance}]}


def alone(s, words, group, version=5, **more):
    """One member that has joined and synced; its id and generation."""
    answer = s.quietly("JoinGroup", version, joining(group, **more))
    if answer["ErrorCode"] == 79:
        answer = s.quietly("JoinGroup", version, joining(group, answer["MemberId"], **more))
    member, generation = answer["MemberId"], answer["GenerationId"]
    s.note(words + ": joined", answer)
    s.ask(words + ": synced", "SyncGroup", 3, syncing(group, generation, member, [(member, b"all")]))
    return member, generation


def find_coordinators(s):
    ready(s)
    for version in range(7):
        for words, kind in (("a group", 0), ("a transaction", 1), ("a share", 2), ("no kind", 7),
                            ("a kind below", -1)):
            for key in ("cmp-first", "", "a:b:0"):
                asked = {"Key": key} if version < 4 else {"CoordinatorKeys": [key]}
                s.ask(f"{words} {key!r}", "FindCoordinator", version, asked | {"KeyType": kind})
        if version >= 4:
            s.ask("many", "FindCoordinator", version, {"CoordinatorKeys": ["a", "b", "a"]})
            s.ask("none", "FindCoordinator", version, {"CoordinatorKeys": []})


def group_lives(s):
    ready(s)
    s.topic("cmp-grouped", 2)
    for version in range(10):
        group = f"cmp-lives-{version}"
        first = s.ask("first join", "JoinGroup", version, joining(group, Reason="why not"))
        if first["ErrorCode"] == 79:
            first = s.ask("joins with its id", "JoinGroup", version, joining(group, first["MemberId"]))
        member, generation = first["MemberId"], first["GenerationId"]
        other = min(version, 5)
        more = {"ProtocolType": "consumer", "ProtocolName": "range"} if other >= 5 else {}
        s.ask(f"described in the middle {version}", "DescribeGroups", min(version, 6),
              {"Groups": [group]})
        s.ask(f"syncs {version}", "SyncGroup", other,
              syncing(group, generation, member, [(member, b"all")], **more))
        s.ask(f"syncs again {version}", "SyncGroup", other, syncing(group, generation, member, **more))
        s.ask(f"heartbeat {version}", "Heartbeat", min(version, 4), {
            "GroupId": group, "GenerationId": generation, "MemberId": member})
        if version >= 2:
            commit = committing(group, "cmp-grouped", [(0, 5), (1, 7)], generation, member, "words")
            s.ask("commits", "OffsetCommit", version, commit)
            s.ask("fetches", "OffsetFetch", version, fetching(version, group, "cmp-grouped", [0, 1, 9]))
            s.ask("fetches all", "OffsetFetch", version, fetching(version, group, None, []))
        s.ask(f"described {version}", "DescribeGroups", min(version, 6), {
            "Groups": [group, "cmp-nobody"], "IncludeAuthorizedOperations": version > 3})
        s.ask(f"listed {version}", "ListGroups", other, {"StatesFilter": ["Stable"]})
        s.ask(f"deleted too early {version}", "DeleteGroups", min(version, 3), {"GroupsNames": [group]})
        s.ask(f"leaves {version}", "LeaveGroup", other, leaving(other, group, member))
        s.ask(f"leaves again {version}", "LeaveGroup", other, leaving(other, group, member))
        s.ask(f"described empty {version}", "DescribeGroups", min(version, 6), {"Groups": [group]})
        s.ask(f"heartbeat of who left {version}", "Heartbeat", min(version, 4), {
            "GroupId": group, "GenerationId": generation, "MemberId": member})
        s.ask(f"deleted {version}", "DeleteGroups", min(version, 3), {"GroupsNames": [group, "cmp-nobody"]})
        s.ask(f"described deleted {version}", "DescribeGroups", min(version, 6), {"Groups": [group]})
        if version >= 2:
            s.ask("fetches deleted", "OffsetFetch", version, fetching(version, group, "cmp-grouped", [0]))


def two_members(s):
    ready(s)
    group, second = "cmp-two-members", beside(s)
    member, generation = alone(s, "one", group)
    identity = second.quietly("JoinGroup", 5, joining(group))["MemberId"]
    sent = second.send("JoinGroup", 5, joining(group, identity))
    heartbeat = {"GroupId": group, "GenerationId": generation, "MemberId": member}
    until = time.monotonic() + 5
    while s.quietly("Heartbeat", 3, heartbeat)["ErrorCode"] == 0 and time.monotonic() < until:
        time.sleep(0.02)
    s.ask("the other wants in", "Heartbeat", 3, heartbeat)
    s.ask("commits meanwhile", "OffsetCommit", 7, committing(group, "cmp-grouped", [(0, 3)], generation,
                                                             member))
    s.ask("syncs meanwhile", "SyncGroup", 3, syncing(group, generation, member))
    s.ask("described meanwhile", "DescribeGroups", 4, {"Groups": [group]})
    joined = s.ask("joins again", "JoinGroup", 5, joining(group, member))
    s.note("the other is in", second.answer_to(sent))
    generation, heartbeat["GenerationId"] = joined["GenerationId"], joined["GenerationId"]
    s.ask("heartbeat before the sync", "Heartbeat", 3, heartbeat)
    s.ask("commits before the sync", "OffsetCommit", 7, committing(group, "cmp-grouped", [(0, 3)],
                                                                   generation, member))
    s.ask("described before the sync", "DescribeGroups", 4, {"Groups": [group]})
    s.ask("an old generation", "SyncGroup", 3, syncing(group, generation - 1, member))
    sent = second.send("SyncGroup", 3, syncing(group, generation, identity))
    s.ask("the leader assigns", "SyncGroup", 3, syncing(group, generation, member, [
        (member, b"mine"), (identity, b"yours"), ("nobody", b"lost")]))
    s.note("the other is told", second.answer_to(sent))
    s.ask("described with two", "DescribeGroups", 4, {"Groups": [group]})
    s.ask("the other leaves", "LeaveGroup", 3, leaving(3, group, identity))
    s.ask("which is told", "Heartbeat", 3, heartbeat)
    s.ask("joins with another protocol", "JoinGroup", 5, joining(group, member, [ROUND, RANGE]))
    s.ask("both leave", "LeaveGroup", 3, {"GroupId": group, "Members": [
        {"MemberId": member}, {"MemberId": identity}]})
    second.close()


def wrong_members(s):
    ready(s)
    group = "cmp-wrong-members"
    for words, message in {
            "no group": joining(""), "no protocols": joining(group, protocols=()),
            "no type": joining(group, kind=""), "a short session": joining(group, session=5),
            "a long session": joining(group, session=2_000_000_000),
            "a stranger": joining(group, "nobody"), "an empty instance": joining(
                group, GroupInstanceId=""), "a bad instance": joining(group, GroupInstanceId="a b")}.items():
        for version in (3, 5):
            if version < 5 and "GroupInstanceId" in message:
                continue
            answer = s.ask(f"join: {words}", "JoinGroup", version, message)
            if answer.get("ErrorCode") == 0:
                s.quietly("LeaveGroup", 3, leaving(3, message["GroupId"], answer["MemberId"]))
    member, generation = alone(s, "one", group)
    s.ask("join: another type", "JoinGroup", 3, joining(group, kind="connect"))
    s.ask("join: no protocol in common", "JoinGroup", 3, joining(group, protocols=[ROUND]))
    s.ask("sync: wrong type", "SyncGroup", 5, syncing(
        group, generation, member, ProtocolType="connect", ProtocolName="range"))
    s.ask("sync: wrong name", "SyncGroup", 5, syncing(
        group, generation, member, ProtocolType="consumer", ProtocolName="round"))
    for words, named in (("no group", ("", generation, member)),
                         ("unknown group", ("cmp-nobody", generation, member)),
                         ("unknown member", (group, generation, "nobody")),
                         ("no member", (group, generation, "")),
                         ("an old generation", (group, generation - 1, member)),
                         ("a new generation", (group, generation + 1, member)),
                         ("no generation", (group, NONE, member)),
                         ("nobody in particular", (group, NONE, ""))):
        name, of, who = named
        s.ask(f"heartbeat: {words}", "Heartbeat", 3, {"GroupId": name, "GenerationId": of,
                                                      "MemberId": who})
        s.ask(f"sync: {words}", "SyncGroup", 4, syncing(name, of, who))
        if words != "unknown group":
            s.ask(f"commit: {words}", "OffsetCommit", 7,
                  committing(name, "cmp-grouped", [(0, 1)], of, who))
    for version in (2, 3):
        s.ask("leave: unknown member", "LeaveGroup", version, leaving(version, group, "nobody"))
        s.ask("leave: unknown group", "LeaveGroup", version, leaving(version, "cmp-nobody", member))
        s.ask("leave: no group", "LeaveGroup", version, leaving(version, "", member))
    s.ask("leave: nobody", "LeaveGroup", 3, {"GroupId": group, "Members": []})
    s.ask("commit to no group", "OffsetCommit", 7, committing("cmp-nobody", "cmp-grouped", [(0, 1)], 3,
                                                              "somebody"))


def static_members(s):
    ready(s)
    group, own = "cmp-static", {"GroupInstanceId": "one"}
    member, generation = alone(s, "first", group, **own)
    s.ask("described", "DescribeGroups", 4, {"Groups": [group]})
    again = s.ask("comes back", "JoinGroup", 9, joining(group, **own))
    both = {"GroupId": group, "GenerationId": generation}
    for words, who, instance in (("as it was", member, "one"), ("without its instance", member, None),
                                 ("as it is", again["MemberId"], "one"), ("as another", member, "two")):
        s.ask(f"heartbeat {words}", "Heartbeat", 3, both | {"MemberId": who, "GroupInstanceId": instance})
        s.ask(f"sync {words}", "SyncGroup", 3, syncing(group, generation, who, GroupInstanceId=instance))
        s.ask(f"commit {words}", "OffsetCommit", 7, committing(
            group, "cmp-grouped", [(0, 1)], generation, who, GroupInstanceId=instance))
    s.ask("joins as it was", "JoinGroup", 5, joining(group, member, **own))
    s.ask("leaves as it was", "LeaveGroup", 3, leaving(3, group, member, "one"))
    s.ask("another instance leaves", "LeaveGroup", 3, leaving(3, group, "", "two"))
    s.ask("is removed", "LeaveGroup", 4, leaving(4, group, "", "one"))
    s.ask("described empty", "DescribeGroups", 4, {"Groups": [group]})


def offsets_alone(s):
    ready(s)
    identity, group = s.topic("cmp-grouped", 2), "cmp-offsets"
    for version in range(2, 10):
        for words, topic, offsets, text in (
                ("two", "cmp-grouped", [(0, 4), (1, 2)], "text"), ("none", "cmp-grouped", [], ""),
                ("unknown topic", "cmp-nowhere", [(0, 4)], ""), ("negative", "cmp-grouped", [(0, -4)], ""),
                ("unknown partition", "cmp-grouped", [(0, 5), (7, 4)], ""), ("no text", "cmp-grouped",
                                                                            [(1, 9)], None),
                ("much text", "cmp-grouped", [(0, 1)], "x" * 4097), ("enough text", "cmp-grouped",
                                                                     [(0, 6)], "x" * 4096),
                ("twice", "cmp-grouped", [(0, 7), (0, 8)], "")):
            s.ask(f"commits {words}", "OffsetCommit", version, committing(group, topic, offsets,
                                                                          metadata=text))
            s.ask(f"fetches after {words}", "OffsetFetch", version,
                  fetching(version, group, "cmp-grouped", [0, 1]))
        s.ask("no group", "OffsetFetch", version, fetching(version, "", "cmp-grouped", [0]))
        s.ask("another group", "OffsetFetch", version, fetching(version, "cmp-else", "cmp-grouped", [0]))
        s.ask("another topic", "OffsetFetch", version, fetching(version, group, "cmp-nowhere", [0]))
        s.ask("all", "OffsetFetch", version, fetching(version, group, None, []))
        s.ask("no topics", "OffsetFetch", version, fetching(version, group, "cmp-grouped", []))
    for words, topic in (("by id", identity), ("by nobody's id", "00000000-0000-0000-0000-000000000007")):
        asked = committing(group, "", [(0, 11)])
        asked["Topics"][0] |= {"TopicId": topic}
        s.ask(f"commits {words}", "OffsetCommit", 10, {key: asked[key] for key in asked})
        s.ask(f"fetches {words}", "OffsetFetch", 10, {"Groups": [{
            "GroupId": group, "MemberId": None, "MemberEpoch": NONE,
            "Topics": [{"TopicId": topic, "PartitionIndexes": [0, 5]}]}]})
    s.ask("stable only", "OffsetFetch", 8, fetching(8, group, "cmp-grouped", [0], RequireStable=True))
    for words, name, topic, partitions in (
            ("one", group, "cmp-grouped", [0]), ("again", group, "cmp-grouped", [0]),
            ("unknown", group, "cmp-grouped", [9]), ("nowhere", group, "cmp-nowhere", [0]),
            ("of nobody", "cmp-nobody", "cmp-grouped", [0]), ("of no group", "", "cmp-grouped", [0]),
            ("none", group, "cmp-grouped", [])):
        s.ask(f"deletes {words}", "OffsetDelete", 0, {"GroupId": name, "Topics": [
            {"Name": topic, "Partitions": [{"PartitionIndex": each} for each in partitions]}]})
    s.ask("after that", "OffsetFetch", 8, fetching(8, group, None, []))


def listed_groups(s):
    ready(s)
    alone(s, "one", "cmp-listed")
    for version in range(6):
        for words, filters in (("all", {}), ("stable", {"StatesFilter": ["Stable"]}),
                               ("in small", {"StatesFilter": ["stable", "empty"]}),
                               ("no state", {"StatesFilter": ["no-such-state"]}),
                               ("classic", {"TypesFilter": ["classic"]}),
                               ("consumer", {"TypesFilter": ["Consumer"]}),
                               ("no type", {"TypesFilter": ["no-such-type"]})):
            if version >= 4 and (version >= 5 or "TypesFilter" not in filters) or not filters:
                s.ask(words, "ListGroups", version, filters)
    for version in range(7):
        s.ask("describes", "DescribeGroups", version, {"Groups": ["cmp-listed", "", "cmp-nobody"]})
        s.ask("describes none", "DescribeGroups", version, {"Groups": []})
    for version in range(4):
        s.ask("deletes", "DeleteGroups", version, {"GroupsNames": ["cmp-listed", "", "cmp-nobody"]})
        s.ask("deletes none", "DeleteGroups", version, {"GroupsNames": []})


CASES = [find_coordinators, group_lives, two_members, wrong_members, static_members, offsets_alone,
         listed_groups]
