"""Raw requests of incremental fetch sessions (KIP-227): one story after the other, each request with
the epoch that is due unless the story says another."""
import time

from batches import batch
from cases_trim import delete, fill

MIB = 1 << 20
NO_TOPIC = "00000000-0000-0000-0000-000000000000"


class FetchSession:
    """A client's side of one session. Partitions are named as (topic or its id, partition, offset)."""

    def __init__(self, s, version=11):
        self.s, self.version, self.id, self.epoch = s, version, 0, 0

    def topics(self, named, make):
        topics = {}
        for topic, *rest in named:
            topics.setdefault(topic, []).append(make(*rest))
        key = "TopicId" if self.version >= 13 else "Topic"
        return [{key: topic, "Partitions": partitions} for topic, partitions in topics.items()]

    def message(self, ask=(), forget=(), epoch=None, identity=None, wait=0, minimum=0, total=50 * MIB,
                **extra):
        of_partition = {key: extra.pop(key) for key in ("CurrentLeaderEpoch", "LastFetchedEpoch")
                        if key in extra}
        return {"MaxWaitMs": wait, "MinBytes": minimum, "MaxBytes": total,
                "SessionId": self.id if identity is None else identity,
                "SessionEpoch": self.epoch if epoch is None else epoch,
                "Topics": self.topics(ask, lambda partition, offset: of_partition | {
                    "Partition": partition, "FetchOffset": offset, "PartitionMaxBytes": MIB}),
                "ForgottenTopicsData": self.topics(forget, lambda partition: partition)} | extra

    def took(self, answer):
        """Goes on as clients do."""
        if answer.get("ErrorCode") == 0:
            self.id = answer["SessionId"]
            self.epoch = self.epoch + 1 if self.id else 0

    def fetch(self, words, *ask, **more):
        answer = self.s.ask(words, "Fetch", self.version, self.message(ask, **more))
        self.took(answer)
        return answer

    def wrong(self, words, *ask, version=None, **more):
        """Asked beside the session's own course."""
        other = FetchSession(self.s, version or self.version)
        other.id, other.epoch = self.id, self.epoch
        return self.s.ask(words, "Fetch", other.version, other.message(ask, **more))


def session_lives(s):
    for version in (7, 11, 12, 13, 18):
        name = f"cmp-session-{version}"
        identity = s.topic(name, 4)
        topic = identity if version >= 13 else name
        fill(s, name, 3)
        session = FetchSession(s, version)
        session.fetch("begins", (topic, 0, 0), (topic, 1, 0), (topic, 2, 0))
        session.fetch("records that nobody took come again")
        session.fetch("a new offset", (topic, 0, 3))
        session.fetch("nothing is new")
        fill(s, name, 2, partition=1)
        session.fetch("one has moved")
        session.fetch("its offset too", (topic, 1, 2))
        session.fetch("nothing is new again")
        fill(s, name, 1, partition=3)
        session.fetch("one that is not in it has moved")
        session.fetch("now it is in it", (topic, 3, 0))
        session.fetch("one is forgotten", (topic, 3, 1), forget=[(topic, 1)])
        fill(s, name, 1, partition=1)
        fill(s, name, 1, partition=2)
        session.fetch("the forgotten one has moved, and another")
        session.fetch("the forgotten one comes back", (topic, 1, 1), (topic, 2, 1))
        session.fetch("forgotten twice, and one that never was", forget=[
            (topic, 1), (topic, 1), (topic, 9)])
        session.fetch("backwards", (topic, 0, 1))
        session.fetch("asked for and forgotten at once", (topic, 1, 0), forget=[(topic, 1)])
        session.fetch("all are forgotten", forget=[(topic, n) for n in range(4)])
        session.wrong("which has ended it", epoch=session.epoch + 9)


def session_tells(s):
    s.topic("cmp-told", 3)
    fill(s, "cmp-told", 5)
    session = FetchSession(s)
    session.fetch("begins", ("cmp-told", 0, 5), ("cmp-told", 1, 0))
    session.fetch("nothing")
    delete(s, "the first go", ("cmp-told", 0, 2))
    session.fetch("where the log starts now")
    session.fetch("once")
    session.fetch("too high an offset", ("cmp-told", 0, 77))
    session.fetch("that again")
    fill(s, "cmp-told", 1)
    session.fetch("that again after a record")
    session.fetch("a right one", ("cmp-told", 0, 6))
    session.fetch("and nothing")
    session.fetch("below the start", ("cmp-told", 0, 1))
    session.fetch("at its end", ("cmp-told", 0, 6))
    session.fetch("an unknown partition", ("cmp-told", 9, 0))
    session.fetch("that once more")
    session.fetch("an unknown topic", ("cmp-nobody", 0, 0))
    session.fetch("both")
    session.fetch("they go", forget=[("cmp-told", 9), ("cmp-nobody", 0)])
    session.fetch("an epoch of the future", ("cmp-told", 0, 6), CurrentLeaderEpoch=9)
    session.fetch("still of the future")
    session.fetch("no epoch", ("cmp-told", 0, 6))
    session.fetch("read committed", IsolationLevel=1)
    fill(s, "cmp-told", 1)
    session.fetch("a record, read committed", IsolationLevel=1)
    for words, version in (("no topics", 11), ("no topics by id", 13)):
        empty = FetchSession(s, version)
        empty.fetch(words + ": begins")
        empty.fetch(words + ": ends")
    late = FetchSession(s)
    late.fetch("begins with none")
    late.fetch("and then has one", ("cmp-told", 0, 2))


def session_errors(s):
    identity = s.topic("cmp-wrong", 2)
    fill(s, "cmp-wrong", 2)
    for version, topic, other, other_topic in ((12, "cmp-wrong", 13, identity),
                                               (13, identity, 12, "cmp-wrong")):
        session = FetchSession(s, version)
        session.wrong("no id, but an epoch", (topic, 0, 0), identity=0, epoch=1)
        session.wrong("an id of nobody", (topic, 0, 0), identity=2**30 + 77, epoch=1)
        session.wrong("a negative id", (topic, 0, 0), identity=-7, epoch=1)
        session.wrong("a full one that ends nobody's", (topic, 0, 0), identity=2**30 + 77, epoch=-1)
        session.fetch("begins", (topic, 0, 0))
        for epoch in (0x7fffffff, -2, -2**31, 2, 7):
            session.wrong(f"epoch {epoch}", (topic, 0, 2), epoch=epoch)
        session.fetch("the right one", (topic, 0, 1))
        session.wrong("the same again", (topic, 0, 1), epoch=session.epoch - 1)
        session.wrong("topics by the other name", (other_topic, 0, 0), version=other)
        session.fetch("it goes on")
        session.wrong("a full one beside it", (topic, 0, 0), identity=0, epoch=-1)
        session.fetch("which does not touch it")
        again = FetchSession(s, version)
        again.id = session.id
        again.fetch("a full one begins another", (topic, 0, 2))
        session.wrong("in its place", (topic, 0, 2))
        again.fetch("the other goes on")
        again.wrong("a full one ends it", (topic, 0, 0), epoch=-1)
        again.wrong("which is gone", (topic, 0, 2))


def session_fairness(s):
    s.topic("cmp-fair", 4)
    for partition in range(4):
        for _ in range(3):
            s.quietly("Produce", 9, {"Acks": -1, "TimeoutMs": 5000, "TopicData": [
                {"Name": "cmp-fair", "PartitionData": [{
                    "Index": partition, "Records": batch([s.now], [b"F" * 100_000])}]}]})
    session = FetchSession(s)
    session.fetch("begins, room for one", *(("cmp-fair", n, 0) for n in range(4)), total=150_000)
    for turn in range(6):
        session.fetch(f"room for one, turn {turn}", total=150_000)
    for turn in range(4):
        session.fetch(f"room for two, turn {turn}", total=250_000)
    session.fetch("one byte", total=1)
    session.fetch("no byte", total=0)
    session.fetch("one has been taken", ("cmp-fair", 2, 3), total=150_000)


def session_of_a_topic_made_again(s):
    def remove(name):
        s.quietly("DeleteTopics", 5, {"TopicNames": [name], "TimeoutMs": 5000})
        until = time.monotonic() + 5
        while time.monotonic() < until:
            found = s.quietly("Metadata", 9, {"Topics": [{"Name": name}],
                                              "AllowAutoTopicCreation": False})
            if found["Topics"][0]["ErrorCode"] == 3:
                return
            time.sleep(0.05)
    for version in (12, 13):
        name = f"cmp-again-{version}"
        identity = s.topic(name, 2)
        topic = identity if version >= 13 else name
        fill(s, name, 4)
        s.topic("cmp-stays")
        stays = s.topic("cmp-stays") if version >= 13 else "cmp-stays"
        session = FetchSession(s, version)
        session.fetch("begins", (topic, 0, 4), (topic, 1, 0), (stays, 0, 0))
        session.fetch("nothing")
        remove(name)
        time.sleep(0.3)
        session.fetch("the topic is gone")
        session.fetch("still gone")
        second = s.topic(name, 1)
        session.fetch("it is another one now")
        fill(s, name, 1)
        session.fetch("with a record")
        topic = second if version >= 13 else name
        session.fetch("asked for as it is", (topic, 0, 0))
        session.fetch("forgotten as it was", forget=[
            (identity if version >= 13 else name, 0), (identity if version >= 13 else name, 1)])
        session.fetch("by no id", (NO_TOPIC, 0, 0)) if version >= 13 else None
        session.fetch("no id is forgotten", forget=[(NO_TOPIC, 0)]) if version >= 13 else None


def session_waits(s):
    s.topic("cmp-idle", 3)
    fill(s, "cmp-idle", 1, partition=2)
    session = FetchSession(s)
    session.fetch("begins", *(("cmp-idle", n, n // 2) for n in range(3)))

    def timed(words, low, high, *ask, **more):
        began = time.monotonic()
        answer = s.quietly("Fetch", 11, session.message(ask, **more))
        took = 1000 * (time.monotonic() - began)
        session.took(answer)
        s.note(words, {"in time": low <= took <= high or f"{took:.0f} ms", "answer": answer})
    timed("idle, no wait", 0, 200, minimum=1)
    timed("idle, nothing wanted", 0, 200, wait=1000)
    timed("idle, waits", 390, 700, wait=400, minimum=1)
    timed("records are there", 0, 200, ("cmp-idle", 2, 0), wait=1000, minimum=1)
    timed("fewer than wanted", 390, 700, wait=400, minimum=10_000)
    timed("idle again", 390, 700, ("cmp-idle", 2, 1), wait=400, minimum=1)

    def meanwhile(words, act, low, high):
        sent = s.send("Fetch", 11, session.message(wait=1500, minimum=1))
        s.connection, parked = None, s.connection
        time.sleep(0.2)
        act()
        began = time.monotonic()
        s.close()
        s.connection = parked
        answer = s.answer_to(sent)
        took = 1000 * (time.monotonic() - began)
        session.took(answer)
        s.note(words, {"in time": low <= took <= high or f"{took:.0f} ms", "answer": answer})
    meanwhile("woken by a record", lambda: fill(s, "cmp-idle", 1, partition=1), 0, 400)
    meanwhile("by one of another partition, with what was there",
              lambda: fill(s, "cmp-idle", 1, partition=0), 0, 400)
    timed("both are taken", 390, 700, ("cmp-idle", 0, 1), ("cmp-idle", 1, 1), wait=400, minimum=1)
    meanwhile("a new start of the log wakes nobody, and is told",
              lambda: delete(s, "below the end", ("cmp-idle", 0, 1)), 800, 2000)
    timed("once", 390, 700, wait=400, minimum=1)


def session_over_two_connections(s):
    s.topic("cmp-two")
    fill(s, "cmp-two", 1)
    session = FetchSession(s)
    session.fetch("begins", ("cmp-two", 0, 1))
    for turn in range(4):
        s.close()
        session.fetch(f"over another connection, {turn}")
    parked = s.send("Fetch", 11, session.message(wait=700, minimum=1))
    session.epoch += 1
    s.connection, first = None, s.connection
    time.sleep(0.2)
    session.fetch("the next one while this waits")
    fill(s, "cmp-two", 1)
    session.fetch("a record comes to the second")
    s.close()
    s.connection = first
    s.note("the first was overtaken", s.answer_to(parked))
    session.fetch("the session goes on", ("cmp-two", 0, 2))
    session.fetch("and has nothing new")


CASES = [session_lives, session_tells, session_errors, session_fairness,
         session_of_a_topic_made_again, session_waits, session_over_two_connections]
