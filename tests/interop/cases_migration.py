"""Raw requests of groups that go from the classic protocol to KIP-848's with members in them, and
back: both kinds of member see the same group."""
import struct

from cases_consumer_groups import MINE, Consumer, described, shared
from cases_groups import committing, joining, leaving, syncing


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


def subscription(*topics, user=b"", owned=()):
    """What a classic consumer says of itself, in version 1 (KIP-429)."""
    data = struct.pack(">hi", 1, len(topics)) + b"".join(map(text, topics))
    data += struct.pack(">i", len(user)) + user + struct.pack(">i", len(owned))
    for topic, partitions in owned:
        data += text(topic) + struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    return data


def assignment(topic, *partitions):
    return struct.pack(">hi", 1, 1) + text(topic) + struct.pack(
        f">i{len(partitions)}ii", len(partitions), *partitions, -1)


def classic(s, words, group, protocols, data=assignment("cmp-shared", 0, 1, 2)):
    """One classic consumer, which has assigned itself; its id and generation."""
    member = s.quietly("JoinGroup", 5, joining(group, protocols=protocols))["MemberId"]
    answer = s.quietly("JoinGroup", 5, joining(group, member, protocols=protocols))
    s.note(words + ": joined", answer)
    s.ask(words + ": synced", "SyncGroup", 3, syncing(group, answer["GenerationId"], member,
                                                      [(member, data)]))
    return member, answer["GenerationId"]


OF_RANGE = {"ProtocolType": "consumer", "ProtocolName": "range"}
SHARED = (("range", subscription("cmp-shared")),)


def classic_beat(group, epoch, member):
    return {"GroupId": group, "GenerationId": epoch, "MemberId": member}


def upgraded(s):
    shared(s)
    group = "cmp-upgraded"
    member, generation = classic(s, "classic", group, SHARED)
    one = Consumer(s, group, MINE)
    one.comes("comes to classic members")
    described(s, "described", group)
    s.ask("listed", "ListGroups", 5, {"TypesFilter": ["consumer"], "StatesFilter": [
        "Reconciling", "Stable"]})
    s.ask("the classic one is told", "Heartbeat", 4, classic_beat(group, generation, member))
    joined = s.ask("it joins again", "JoinGroup", 9, joining(group, member, protocols=SHARED))
    generation = joined["GenerationId"]
    s.ask("it syncs", "SyncGroup", 5, syncing(group, generation, member, **OF_RANGE))
    s.ask("its heartbeat", "Heartbeat", 4, classic_beat(group, generation, member))
    one.beats("the other has its part")
    one.has("and says so")
    described(s, "described in peace", group)
    s.ask("it commits", "OffsetCommit", 8, committing(group, "cmp-shared", [(0, 4)], generation, member))
    s.ask("it commits as of before", "OffsetCommit", 8,
          committing(group, "cmp-shared", [(0, 4)], generation - 1, member))
    s.ask("described as classic", "DescribeGroups", 6, {"Groups": [group]})
    s.ask("it leaves", "LeaveGroup", 5, leaving(5, group, member))
    one.beats("one gets all")
    one.has("one has all")
    described(s, "described alone", group)


def downgraded(s):
    shared(s)
    group = "cmp-downgraded"
    one = Consumer(s, group, MINE)
    one.comes("comes")
    one.has("has all")
    first = s.ask("a classic one asks", "JoinGroup", 9, joining(group, protocols=SHARED))
    member = first["MemberId"]
    joined = s.ask("it joins", "JoinGroup", 9, joining(group, member, protocols=SHARED))
    s.ask("it syncs", "SyncGroup", 5, syncing(group, joined["GenerationId"], member, **OF_RANGE))
    one.beats("one gives back")
    one.has("one has given back")
    described(s, "described with both", group)
    s.ask("the classic one is told", "Heartbeat", 4, classic_beat(group, joined["GenerationId"], member))
    joined = s.ask("it joins again", "JoinGroup", 9, joining(group, member, protocols=SHARED))
    s.ask("it syncs again", "SyncGroup", 5, syncing(group, joined["GenerationId"], member, **OF_RANGE))
    s.ask("and is told no more", "Heartbeat", 4, classic_beat(group, joined["GenerationId"], member))
    described(s, "described in peace", group)
    one.beats("one goes", MemberEpoch=-1)
    described(s, "described when it went", group)
    s.ask("described as classic", "DescribeGroups", 6, {"Groups": [group]})
    s.ask("listed", "ListGroups", 5, {"TypesFilter": ["classic"], "StatesFilter": [
        "PreparingRebalance", "CompletingRebalance"]})
    s.ask("it is told again", "Heartbeat", 4, classic_beat(group, joined["GenerationId"], member))
    joined = s.ask("it joins anew", "JoinGroup", 9, joining(group, member, protocols=SHARED))
    s.ask("it assigns itself", "SyncGroup", 5, syncing(
        group, joined["GenerationId"], member, [(member, b"all")], **OF_RANGE))
    s.ask("its heartbeat", "Heartbeat", 4, classic_beat(group, joined["GenerationId"], member))


def upgrades_of_odd_members(s):
    shared(s)
    for words, metadata in (("junk", b"\0\1junk"), ("user data", subscription("cmp-shared", user=b"u")),
                            ("no topics", subscription())):
        group = f"cmp-odd-upgrade-{words.replace(' ', '-')}"
        classic(s, words, group, [("range", metadata)])
        Consumer(s, group, MINE).comes(f"comes to {words}")
        described(s, f"described with {words}", group)
    group = "cmp-odd-upgrade-odd-assignment"
    classic(s, "an odd assignment", group, SHARED, b"odd")
    Consumer(s, group, MINE).comes("comes to an odd assignment")


CASES = [upgraded, downgraded, upgrades_of_odd_members]
