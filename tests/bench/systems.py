"""The brokers that scripts/bench measures: how each is started, ended and asked."""
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import time

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId>
<version>4.4.0</version></dependency><dependency><groupId>org.slf4j</groupId>
<artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency></dependencies></project>
"""
KAFKA_PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.segment.delete.delay.ms=50
log.cleaner.backoff.ms=100
broker.session.timeout.ms=600000
group.initial.rebalance.delay.ms=0
"""
# The last four change no figure: a turn's topic is gone before the next turn, both brokers look
# equally often for what to compact, a broker that is stopped during the others' turns is not
# fenced for it, and a new group's first members are not kept waiting for more.

LEAT_CONFIG = """node_id = 1
data_dir = "{data}"
[[listener]]
name = "plain"
bind = "127.0.0.1:{port}"
advertise = "auto"
[storage.disk]
plugin = "segment"
[storage.mapped]
plugin = "mmap"
[storage.ram]
plugin = "memory"
budget = "2GiB"
[coordination]
plugin = "local"
[topic_defaults]
storage = "disk"
replication = "single"
[group_coordinator]
initial_rebalance_delay = "0ms"
[compaction]
check_interval = "100ms"
[log]
level = "warn"
"""


def build(root):
    if not (root / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=root, check=True,
                       stdout=subprocess.DEVNULL)
    known = subprocess.run(["ninja", "-C", "build/release", "-t", "targets", "all"], cwd=root,
                           capture_output=True, text=True).stdout
    targets = ["bench_tools"] + (["leat", "plugins/all"] if re.search(r"^leat: ", known, re.M) else [])
    subprocess.run(["ninja", "-C", "build/release", "--quiet", *targets], cwd=root, check=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def one_record():
    """A batch of one record of 100 bytes."""
    now = int(time.time() * 1000)
    record = b"\0\0\0\1" + b"\xc8\1" + bytes(100) + b"\0"
    size = 2 * len(record)  # A zigzag varint of two bytes.
    body = (struct.pack(">hiqqqhii", 0, 0, now, now, -1, -1, -1, 1)
            + bytes([size & 0x7F | 0x80, size >> 7]) + record)
    return struct.pack(">qiibI", 0, 9 + len(body), -1, 2, crc32c(body)) + body


def string(text):
    return struct.pack(">h", len(text)) + text.encode()


class System:
    name = ""

    def __init__(self, root, folder):
        self.root = root
        self.home = pathlib.Path(folder) / self.name
        self.port = free_port()
        self.process = None

    address = property(lambda self: f"127.0.0.1:{self.port}")
    pid = property(lambda self: self.process.pid)

    def command(self):
        raise NotImplementedError

    def prepare(self):
        self.home.mkdir(parents=True, exist_ok=True)

    def start(self):
        """Returns how long the first Metadata answer took."""
        self.prepare()
        begun = time.monotonic()
        log = open(self.home.with_suffix(".log"), "ab")
        self.process = subprocess.Popen(self.command(), stdout=log, stderr=log,
                                        cwd=self.home.parent)
        while time.monotonic() - begun < 300:
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended at start: see {self.home}.log:\n"
                                 + self.home.with_suffix(".log").read_text()[-2000:])
            try:
                self.metadata([])
                return time.monotonic() - begun
            except OSError:
                time.sleep(0.002)
        raise SystemExit(f"{self.name} has not answered in five minutes")

    def end(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.resume()
            try:
                self.process.wait(timeout=180)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def restart_fresh(self):
        self.end(signal.SIGKILL)
        shutil.rmtree(self.home, ignore_errors=True)
        return self.start()

    def pause(self):
        """Nothing of it runs during the turns of the others."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def wait_until_topics_are_gone(self):
        """Those of the tools, whose data are deleted in the background."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if not any(self.home.rglob("bench-*")) and not any(self.home.rglob("latency-*")):
                return
            time.sleep(0.05)

    def resident_mb(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def cpu_seconds(self):
        """To the nanosecond, as the scheduler counts; threads that ended are not in it."""
        threads = pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def ask(self, key, version, body):
        request = struct.pack(">hhi", key, version, 7) + string("bench") + body
        with socket.create_connection(("127.0.0.1", self.port), timeout=300) as one:
            one.sendall(struct.pack(">i", len(request)) + request)
            answer = b""
            while len(answer) < 4 or len(answer) < 4 + struct.unpack(">i", answer[:4])[0]:
                piece = one.recv(1 << 20)
                if not piece:
                    raise ConnectionError("closed")
                answer += piece
        return answer[8:]

    def create_topic(self, topic, partitions):
        body = struct.pack(">i", 1) + string(topic) + struct.pack(">ihii", partitions, 1, 0, 0)
        answer = self.ask(19, 4, body + struct.pack(">ib", 180_000, 0))
        at = 8 + 2 + len(topic)
        error = struct.unpack(">h", answer[at:at + 2])[0]
        if error:
            raise SystemExit(f"{self.name}: creating {topic} failed with error {error}")

    def produce_once(self, topic):
        """Until partition 0 takes a batch."""
        batch = one_record()
        body = struct.pack(">hhii", -1, 1, 30_000, 1) + string(topic) + struct.pack(">iii", 1, 0,
                                                                                 len(batch))
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            answer = self.ask(0, 7, body + batch)
            at = 4 + 2 + len(topic) + 4 + 4
            error = struct.unpack(">h", answer[at:at + 2])[0]
            if error == 0:
                return
            if error not in (3, 6):
                raise SystemExit(f"{self.name}: producing to {topic} failed with error {error}")
            time.sleep(0.01)
        raise SystemExit(f"{self.name}: {topic} takes no batch after ten minutes")

    def metadata(self, topics):
        """How many partitions of these topics have a leader."""
        body = struct.pack(">i", len(topics)) + b"".join(map(string, topics)) + b"\0"
        data = self.ask(3, 4, body)
        at = 4

        def number(form):
            nonlocal at
            size = struct.calcsize(form)
            value = struct.unpack(form, data[at:at + size])[0]
            at += size
            return value

        def skip(size):
            nonlocal at
            at += max(size, 0)

        def text():
            skip(number(">h"))

        for _ in range(number(">i")):
            number(">i"), text(), number(">i"), text()
        text(), number(">i")
        ready = 0
        for _ in range(number(">i")):
            number(">h"), text(), number(">b")
            for _ in range(number(">i")):
                error, _, leader = number(">h"), number(">i"), number(">i")
                ready += error == 0 and leader >= 0
                for _ in range(2):
                    skip(4 * number(">i"))
        return ready

    def wait_for_leaders(self, topics, count):
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            if self.metadata(topics) == count:
                return
            time.sleep(0.02)
        raise SystemExit(f"{self.name}: {count} partitions have no leader after ten minutes")


class Null(System):
    name = "null"

    def command(self):
        return [self.root / "build/release/tests/bench/null_broker", self.home, str(self.port)]


class Leat(System):
    name = "leat"

    @staticmethod
    def exists(root):
        return (root / "build/release/leat").exists()

    def prepare(self):
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "bench.toml").write_text(
            LEAT_CONFIG.format(data=self.home / "data", port=self.port))

    def command(self):
        return [self.root / "build/release/leat", "serve", self.home / "bench.toml"]


class Kafka(System):
    name = "kafka"

    def __init__(self, root, folder):
        super().__init__(root, folder)
        self.controller = free_port()
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
        self.libraries = cache / "leat-interop/kafka/libs"  # Where scripts/interop has them too.
        if not (self.libraries / "kafka_2.13-4.4.0.jar").exists():
            work = pathlib.Path(folder) / "maven"
            work.mkdir()
            (work / "pom.xml").write_text(POM)
            subprocess.run(["mvn", "-q", "-B", "dependency:copy-dependencies",
                            f"-DoutputDirectory={self.libraries}"], cwd=work, check=True)

    def java(self, *arguments):
        return ["java", "-Xms1G", "-Xmx1G", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
                f"{self.libraries}/*", *map(str, arguments)]

    def prepare(self):
        properties = self.home / "server.properties"
        if properties.exists():
            return
        self.home.mkdir(parents=True, exist_ok=True)
        properties.write_text(KAFKA_PROPERTIES.format(port=self.port, controller=self.controller,
                                                      data=self.home / "data"))
        subprocess.run(self.java("kafka.tools.StorageTool", "format", "-t",
                                 "bGVhdC1iZW5jaC1iZW5jaA", "-c", properties), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def command(self):
        return self.java("kafka.Kafka", self.home / "server.properties")
