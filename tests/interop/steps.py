"""What the clients are put through, and what must hold afterwards. Fills one table."""
import concurrent.futures
import itertools
import os
import re
import threading
import time

from kcat import Kcat
from records import Record, record_set, timestamp_of, without_timestamp
from stored import codecs_of

TOO_LARGE_BYTES = 1_500_000  # Over the 1 MiB that a broker takes unless it is told otherwise.
TOO_LARGE = re.compile(r"(message|msg|record).*too.?large", re.I)  # Each library's own spelling.
ENDURE_RECORDS = 3_000
KILL_AFTER = 300  # Records of each client, so that all of them are in the middle of it.
SETTLE_S = 10  # Apache Kafka answers CreateTopics and DeleteTopics before all of it has seen them.


def first_difference(wanted, got):
    """A short sentence, or None where two lists are equal."""
    for index, (left, right) in enumerate(itertools.zip_longest(wanted, got)):
        if left != right:
            left, right = str(left), str(right)
            at = max(0, len(os.path.commonprefix([left, right])) - 20)
            return f"record {index}: wrote ..{left[at:at + 60]}, read ..{right[at:at + 60]}"
    return None


def until(condition):
    deadline = time.monotonic() + SETTLE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)  # A poll of a foreign broker's state, bounded above.
    return True


class Steps:
    def __init__(self, broker, clients, table, seed, sample=None):
        self.broker, self.clients, self.table, self.seed = broker, clients, table, seed
        self.sample = sample  # So many clients read a partition; None: all of them.
        self.base, self.kcat = clients[0], Kcat(broker.bootstrap)
        self.now = int(time.time() * 1000)
        self.prefix = f"m{self.now % 10_000_000}"  # Runs against one broker do not meet.
        self.written = {}  # (client, partition) -> lines.

    def run(self):
        self.administer()
        for client in self.clients:
            self.make_place(client, client.ident, len(self.plan(client)))
        self.each("produce", self.write)
        self.draw_readers()
        self.each("reads the others", self.read)
        self.count_readers()
        self.prepare_seeks()
        self.each("seek offset", self.seek_offset)
        self.each("seek time", self.seek_time)
        for client in self.clients:
            self.make_topic(f"large-{client.ident}", 1)
        self.each("too large", self.too_large)
        self.endure()

    def each(self, column, step):
        """Runs a step for all clients at once; what it raises or returns goes into the column."""
        with concurrent.futures.ThreadPoolExecutor(len(self.clients)) as pool:
            list(pool.map(lambda client: self.one(column, step, client), self.clients))

    def one(self, column, step, client):
        if column in client.cannot:
            return self.table.put(client.ident, column, "-", client.cannot[column])
        try:
            self.table.put(client.ident, column, "pass", step(client) or "yes")
        except Exception as problem:  # Whatever goes wrong in a cell is that cell's result.
            self.table.put(client.ident, column, "fail", f"{type(problem).__name__}: {problem}")

    def topic(self, name):
        return f"{self.prefix}-{name}"

    def make_topic(self, name, partitions):
        self.base.create(self.topic(name), partitions)
        if not until(lambda: self.kcat.topics().get(self.topic(name)) == partitions):
            raise RuntimeError(f"topic {name} was created but is not listed")

    def make_place(self, client, name, partitions):
        """Where one client writes: partitions of a topic, or as many topics of one partition."""
        if client.one_partition_topics:
            for partition in range(partitions):
                self.make_topic(f"{name}-{partition}", 1)
        else:
            self.make_topic(name, partitions)

    def place(self, client, name, partition):
        if client.one_partition_topics:
            return self.topic(f"{name}-{partition}"), 0
        return self.topic(name), partition

    def administer(self):
        def step(client):
            name = self.topic(f"by-{client.ident}")
            client.create(name, 3)
            if not until(lambda: self.kcat.topics().get(name) == 3):
                raise RuntimeError("a created topic is not listed with its 3 partitions")
            client.delete(name)
            if not until(lambda: name not in self.kcat.topics()):
                raise RuntimeError("a deleted topic is still listed")
        self.each("admin", step)

    def plan(self, client):
        """Partition -> (codec, acks). acks=0 comes last: by then the leaders surely serve."""
        acks = [a for a in ("all", "1", "0") if a in client.acks]
        return dict(enumerate((codec, a) for a in acks for codec in client.codecs))

    def write(self, client):
        """Every codec with every acks; the large values only once per codec."""
        count = 0
        for partition, (codec, acks) in self.plan(client).items():
            records = client.select(record_set(f"{self.seed} {client.ident} {partition}",
                                               self.now - 3_600_000, large=acks == "all"))
            client.produce(*self.place(client, client.ident, partition), codec, acks, records)
            self.written[client.ident, partition] = [record.line() for record in records]
            count += len(records)
        self.table.put(client.ident, "acks", "pass", " ".join(sorted(client.acks)))
        self.one("codecs", self.stored_codecs, client)
        return f"{count} records"

    def stored_codecs(self, client):
        """What was asked for is what lies in the log. Small runs may be sent as they are."""
        for partition, (codec, acks) in self.plan(client).items():
            place = self.place(client, client.ident, partition)
            if not until(lambda: codec in codecs_of(self.broker.bootstrap, *place)):
                raise RuntimeError(f"no batch is stored as {codec} with acks={acks}")
        if client.ident == "kcat" and not client.compresses_quietly(self.topic("kcat")):
            raise RuntimeError("kcat -z snappy says: not compressing batch")
        return " ".join(client.codecs)

    def draw_readers(self):
        """(writer, partition) -> idents of its readers. A sample goes round: from writer to writer by
        one, from codec to codec by one, so that each client reads each codec of nearly each other."""
        able = [client for client in self.clients if "reads the others" not in client.cannot]
        self.readers = {}
        for number, writer in enumerate(self.clients):
            for partition, (codec, _) in self.plan(writer).items():
                others = [c.ident for c in able if c is not writer and codec in c.codecs]
                size = min(self.sample or len(others), len(others))
                first = number + partition % len(writer.codecs) + size * (
                    partition // len(writer.codecs))
                self.readers[writer.ident, partition] = {
                    others[(first + n) % len(others)] for n in range(size)}

    def count_readers(self):
        for client in self.clients:
            drawn = [readers for (writer, _), readers in self.readers.items()
                     if writer == client.ident]
            count = len(set().union(*drawn))
            if self.sample and client.codecs:
                self.table.put(client.ident, "read by the others", "pass", f"equal, by {count}")

    def read(self, client):
        count = 0
        for writer in self.clients:
            for partition in self.plan(writer):
                if client.ident not in self.readers[writer.ident, partition]:
                    continue
                wanted = self.written.get((writer.ident, partition))
                if wanted is None:
                    continue  # The writer's own cell has failed already.
                problem = self.compare(client, writer, partition, wanted)
                if problem:
                    self.table.put(writer.ident, "read by the others", "fail",
                                   f"{client.name} reads partition {partition}: {problem}")
                    raise RuntimeError(f"of {writer.name}, partition {partition}: {problem}")
                count += len(wanted)
            self.table.put(writer.ident, "read by the others", "pass", "equal")
        return f"{count} records"

    def compare(self, client, writer, partition, wanted):
        got = client.consume(*self.place(writer, writer.ident, partition), 0, len(wanted))
        if [offset for offset, _ in got] != list(range(len(wanted))):
            return f"offsets {[offset for offset, _ in got]}"
        lines = [line for _, line in got]
        wanted = [client.shows(line) for line in wanted]
        if "times" in writer.can:
            return first_difference(wanted, lines)
        if any(abs(timestamp_of(line) - self.now) > 3_600_000 for line in lines):
            return "a timestamp is not of today"
        return first_difference(map(without_timestamp, wanted), map(without_timestamp, lines))

    def prepare_seeks(self):
        """Four batches of five records, two seconds apart: offset N has time + 2N seconds."""
        self.make_topic("seek", 1)
        self.seeks = [Record(self.now - 7_200_000 + 2_000 * n, b"%d" % n, b"seek %d" % n)
                      for n in range(20)]
        for first in range(0, 20, 5):
            self.base.produce(self.topic("seek"), 0, "lz4", "all", self.seeks[first:first + 5])

    def seek_offset(self, client):
        for start in (0, 3, 5, 12, 19):  # Batches begin at 0, 5, 10 and 15.
            got = client.consume(self.topic("seek"), 0, start, 20 - start)
            wanted = [(n, client.shows(self.seeks[n].line())) for n in range(start, 20)]
            problem = first_difference(wanted, got)
            if problem:
                raise RuntimeError(f"from offset {start}: {problem}")

    def seek_time(self, client):
        first = self.seeks[0].timestamp
        table = {first - 1: 0, first: 0, first + 1: 1, first + 2_000: 1, first + 12_999: 7,
                 first + 38_000: 19, first + 38_001: -1}
        for timestamp, wanted in table.items():
            got = client.time(self.topic("seek"), 0, timestamp)
            if got != wanted:
                raise RuntimeError(f"time {timestamp - first:+} ms: offset {got}, not {wanted}")

    def too_large(self, client):
        topic = self.topic(f"large-{client.ident}")
        error = client.too_large(topic, 0, TOO_LARGE_BYTES)
        if not TOO_LARGE.search(error):
            raise RuntimeError(f"the error was {error}")
        got = self.kcat.consume(topic, 0, 0)
        values = [line.split()[2] for _, line in got]
        if values != ["x" + b"after the large one".hex()]:
            raise RuntimeError(f"{len(got)} records instead of the small one after it")
        return "refused, goes on"

    def endure(self):
        """All clients write while the broker is killed and started again, each its own topic."""
        if not self.broker.restartable:
            for client in self.clients:
                self.table.put(client.ident, "restart", "-", "the broker was not ours to kill")
            return
        for client in self.clients:
            self.make_topic(f"endure-{client.ident}", 1)
        writing = [c for c in self.clients if "restart" not in c.cannot]
        self.sent, killed = dict.fromkeys((c.ident for c in writing), 0), threading.Event()
        thread = threading.Thread(target=self.kill_in_the_middle, args=(killed,))
        thread.start()
        self.each("restart", lambda client: self.endure_one(client, killed))
        thread.join()

    def kill_in_the_middle(self, killed):
        until(lambda: min(self.sent.values()) >= KILL_AFTER)
        self.at_kill = dict(self.sent)
        self.broker.kill()
        killed.set()
        self.broker.start()

    def endure_one(self, client, killed):
        def on_progress(count):
            self.sent[client.ident] = count
        topic = self.topic(f"endure-{client.ident}")
        results = client.endure(topic, 0, ENDURE_RECORDS, on_progress)
        self.sent[client.ident] = ENDURE_RECORDS
        killed.wait()
        if not 0 < self.at_kill[client.ident] < ENDURE_RECORDS:
            raise RuntimeError(f"had sent {self.at_kill[client.ident]} records at the kill")
        return self.verify_endured(client, topic, results)

    def verify_endured(self, client, topic, results):
        failed = [(index, error) for index, _, error in results if error]
        if failed:
            raise RuntimeError(f"{len(failed)} records failed, the first {failed[0]}")
        log = [(offset, int(bytes.fromhex(line.split()[1][1:])), line.split()[2])
               for offset, line in self.kcat.consume(topic, 0, 0)]
        by_offset = {offset: index for offset, index, _ in log}
        indices = [index for _, index, _ in log]
        there = set(indices)
        missing = [index for index, offset, _ in results if index not in there
                   or offset not in (None, -1) and by_offset.get(offset) != index]
        if missing:
            raise RuntimeError(f"{len(missing)} acknowledged records are not there: {missing[:5]}")
        if any(value != "x" + (b"endure %d" % index).hex() for _, index, value in log):
            raise RuntimeError("a value is not what was written")
        if "idempotent" in client.can:
            if indices != list(range(ENDURE_RECORDS)):
                raise RuntimeError(f"{len(indices)} records, not each once and in order")
            return "each once, in order"
        return f"all there, {len(indices) - ENDURE_RECORDS} twice"
