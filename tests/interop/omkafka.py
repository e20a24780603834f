"""rsyslog's omkafka as a client of the matrix: a log daemon with a configuration of its own for each
step, fed through a socket in its folder. It writes; reading and administration are not its trade."""
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

from clients import PATIENCE_S, ClientError
from console import is_text
from kcat import Kcat
from records import Record

# A message is `KEY tab VALUE`, which no record of text contains.
CONFIG = """\
global(workDirectory="{home}" maxMessageSize="2m" parser.escapeControlCharactersOnReceive="off")
module(load="imptcp")
module(load="omkafka")
template(name="key" type="list") {{
  property(name="rawmsg-after-pri" field.number="1" field.delimiter="9")
}}
template(name="value" type="list") {{
  property(name="rawmsg-after-pri" field.number="2" field.delimiter="9")
}}
input(type="imptcp" path="{home}/socket" unlink="on" maxFrameSize="2000000")
action(type="omkafka" broker=["{bootstrap}"] topic="{topic}" partitions.useFixed="{partition}"
       template="value" dynaKey="on" key="key" errorFile="{home}/errors" closeTimeout="30000"
       confParam=[{client}] topicConfParam=[{topic_settings}] action.resumeRetryCount="-1")
"""
WRITES_ONLY = "rsyslog's omkafka writes, and does nothing else"


def quoted(settings):
    return ", ".join(f'"{name}={value}"' for name, value in settings.items())


class Daemon:
    """rsyslogd with one action, for as long as a `with` lasts."""

    def __init__(self, bootstrap, topic, partition, client, acks):
        self.folder = tempfile.TemporaryDirectory(prefix="leat-rsyslog-")
        self.home = pathlib.Path(self.folder.name)
        (self.home / "rsyslog.conf").write_text(CONFIG.format(
            home=self.home, bootstrap=bootstrap, topic=topic, partition=partition,
            client=quoted({"linger.ms": 20, "reconnect.backoff.max.ms": 500} | client),
            topic_settings=quoted({"request.required.acks": acks, "message.timeout.ms": 90_000})))

    def __enter__(self):
        self.process = subprocess.Popen(
            ["rsyslogd", "-n", "-C", "-f", self.home / "rsyslog.conf", "-i", self.home / "pid"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.socket = socket.socket(socket.AF_UNIX)
        self.wait_for(self.connects, "rsyslogd does not listen")
        return self

    def connects(self):
        try:
            self.socket.connect(str(self.home / "socket"))
            return True
        except OSError:
            return False

    def stop(self):
        """In order; then the last errors are written too."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)

    def __exit__(self, *_):
        self.socket.close()
        try:
            self.stop()
        finally:
            self.process.kill()
            self.process.stderr.close()
            self.folder.cleanup()

    def wait_for(self, condition, complaint):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if self.process.poll() is not None:
                raise ClientError("rsyslogd ended: " + self.process.stderr.read()[-300:].decode())
            if time.monotonic() > deadline:
                raise ClientError(complaint)
            time.sleep(0.05)  # A daemon's state has no event to wait for; bounded above.

    def log(self, key, value):
        message = b"<13>" + key + b"\t" + value
        self.socket.sendall(b"%d %s" % (len(message), message))

    def errors(self):
        file = self.home / "errors"
        return file.read_text(errors="replace") if file.exists() else ""


class Omkafka:
    ident, acks = "omkafka", ("all", "1", "0")
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    can = {"idempotent"}
    one_partition_topics = False
    cannot = dict.fromkeys(("admin", "reads the others", "seek offset", "seek time"), WRITES_ONLY)

    def __init__(self, bootstrap):
        self.bootstrap, self.kcat = bootstrap, Kcat(bootstrap)
        version = subprocess.run(["rsyslogd", "-v"], capture_output=True, check=True, text=True)
        self.name = "rsyslog omkafka " + re.search(r"rsyslogd\s+(\S+)", version.stdout)[1]

    def close(self):
        pass

    @staticmethod
    def select(records):
        """What a log line can hold: text, with a key and without headers."""
        return [Record(0, r.key, r.value) for r in records
                if r.key and r.value and is_text(r.key) and is_text(r.value)]

    def daemon(self, topic, partition, acks="all", **client):
        """Idempotent wherever the broker acknowledges by all."""
        client = {name.replace("_", "."): value for name, value in client.items()}
        if acks == "all":
            client["enable.idempotence"] = "true"
        return Daemon(self.bootstrap, topic, partition, client, acks)

    def wait_for_end(self, daemon, topic, partition, count):
        """The daemon tells nobody that it is done, so the partition does."""
        daemon.wait_for(lambda: self.end_of(topic, partition) >= count,
                        f"{count} records do not arrive; {daemon.errors()[:200]}")

    def end_of(self, topic, partition):
        try:
            return self.kcat.time(topic, partition, -1)
        except ClientError:  # The daemon's first record makes the topic.
            return -1

    def produce(self, topic, partition, codec, acks, records):
        with self.daemon(topic, partition, acks, compression_codec=codec) as daemon:
            for record in records:
                daemon.log(record.key, record.value)
            self.wait_for_end(daemon, topic, partition, len(records))

    def too_large(self, topic, partition, size):
        """It looks at what became of a message only when another one comes, or at its end."""
        with self.daemon(topic, partition, message_max_bytes=10_000_000,
                         batch_num_messages=1) as daemon:
            daemon.log(b"large", b"L" * size)
            daemon.log(b"small", b"after the large one")
            self.wait_for_end(daemon, topic, partition, 1)
            daemon.stop()
            return (daemon.errors() or "NO_ERROR")[:200]

    def endure(self, topic, partition, count, on_progress):
        with self.daemon(topic, partition) as daemon:
            for index in range(count):
                daemon.log(b"%d" % index, b"endure %d" % index)
                time.sleep(0.002)  # The load is to last until the broker was killed under it.
                if index % 100 == 99:
                    on_progress(index + 1)
            self.wait_for_end(daemon, topic, partition, count)
        return [(index, None, None) for index in range(count)]
