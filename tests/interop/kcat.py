"""kcat as a client of the matrix: one process for each step, driven by its own options."""
import re
import subprocess
import threading
import time

from clients import PATIENCE_S, ClientError
from records import Record, field

END, KEY_END = b"<|end of record|>", b"<|end of key|>"
HEADERS = ((b"kcat", b"sets the same"), (b"headers for", b"all records"))


class Kcat:
    ident, acks = "kcat", ("all", "1", "0")
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    can = {"idempotent"}
    one_partition_topics = False
    cannot = {"admin": "kcat has no command to create or delete a topic"}

    def __init__(self, bootstrap):
        self.bootstrap = bootstrap
        version = re.search(r"Version (\S+)", self.run("-V")[1] or self.run("-V")[0])
        self.name = f"kcat {version[1] if version else ''}".strip()

    def command(self, *options):
        settings = ("-X", "reconnect.backoff.max.ms=500", "-m", "30")
        return ["kcat", "-b", self.bootstrap, *settings, *map(str, options)]

    def run(self, *options, stdin=b"", may_fail=False):
        done = subprocess.run(self.command(*options), input=stdin, capture_output=True,
                              timeout=PATIENCE_S)
        if done.returncode != 0 and not may_fail:
            raise ClientError(done.stderr[-300:].decode(errors="replace"))
        return done.stdout.decode("latin-1"), done.stderr.decode(errors="replace")

    def close(self):
        pass

    @staticmethod
    def select(records):
        """kcat has headers and `empty means null` per process: the set is sent in two runs."""
        full = [r for r in records if r.key is not None and r.value is not None]
        null = [r for r in records if (r.key is None) != (r.value is None)
                and r.key != b"" and r.value != b""]
        return ([Record(0, r.key, r.value, HEADERS) for r in full]
                + [Record(0, r.key, r.value) for r in null])

    @staticmethod
    def shows(line):
        """kcat prints headers as one text, cut at zero bytes, a null value as the word NULL."""
        timestamp, key, value, *headers = line.split()
        pairs = [pair.split(":") for pair in headers]
        text = b",".join(bytes.fromhex(name[1:]) + b"="
                         + (b"NULL" if data == "null"
                            else bytes.fromhex(data[1:]).split(b"\0")[0])
                         for name, data in pairs)
        return " ".join([timestamp, key, value, field(text)])

    def produce(self, topic, partition, codec, acks, records):
        base = ["-P", "-t", topic, "-p", partition, "-D", END.decode(), "-K", KEY_END.decode(),
                "-X", f"acks={acks}", "-z", codec, "-X", "linger.ms=20"]
        if acks == "all":
            base += ["-X", "enable.idempotence=true"]
        headers = [option for name, value in HEADERS
                   for option in ("-H", f"{name.decode()}={value.decode()}")]
        for options, wanted in ((headers, True), (["-Z"], False)):
            chosen = [r for r in records if bool(r.headers) == wanted]
            if chosen:
                self.run(*base, *options, stdin=b"".join(
                    (r.key or b"") + KEY_END + (r.value or b"") + END for r in chosen))

    def consume(self, topic, partition, offset, count=None):
        """Without a count: to the end."""
        until = ["-c", count] if count is not None else []
        output, _ = self.run("-C", "-q", "-t", topic, "-p", partition, "-o", offset, "-e", *until,
                             "-X", "check.crcs=true", "-X", "fetch.wait.max.ms=100",
                             "-f", "%o %T %K %S %k%s%h" + END.decode())
        records, position, data = [], 0, output.encode("latin-1")
        while position < len(data):
            head = re.compile(rb"(\d+) (-?\d+) (-?\d+) (-?\d+) ").match(data, position)
            found, timestamp, key_size, size = map(int, head.groups())
            key_at = head.end()
            value_at = key_at + max(key_size, 0)
            headers_at = value_at + max(size, 0)
            position = data.index(END, headers_at)
            parts = [field(None if key_size < 0 else data[key_at:value_at]),
                     field(None if size < 0 else data[value_at:headers_at]),
                     field(data[headers_at:position])]
            records.append((found, " ".join([str(timestamp), *parts])))
            position += len(END)
        return records

    def time(self, topic, partition, timestamp):
        output, _ = self.run("-Q", "-t", f"{topic}:{partition}:{timestamp}")
        return max(-1, int(re.search(r"offset (-?\d+)", output)[1]))

    def too_large(self, topic, partition, size):
        _, log = self.run("-P", "-E", "-t", topic, "-p", partition, "-D", END.decode(),
                          "-X", "message.max.bytes=10000000", "-X", "linger.ms=0",
                          "-X", "batch.num.messages=1", may_fail=True,
                          stdin=b"L" * size + END + b"after the large one" + END)
        failed = re.findall(r"Delivery failed for message: (.*)", log)
        if len(failed) != 1:
            raise ClientError(f"{len(failed)} deliveries failed, not one: {log[-200:]}")
        return failed[0]

    def endure(self, topic, partition, count, on_progress):
        """kcat says only at its end whether all went well: an exit of 0 without a failed delivery."""
        process = subprocess.Popen(
            self.command("-P", "-E", "-t", topic, "-p", partition, "-D", END.decode(),
                         "-K", KEY_END.decode(), "-X", "acks=all", "-X", "linger.ms=5",
                         "-X", "enable.idempotence=true", "-X", "message.timeout.ms=90000"),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        log = []
        reader = threading.Thread(target=lambda: log.append(process.stderr.read()))
        reader.start()
        for index in range(count):
            process.stdin.write(b"%d%sendure %d%s" % (index, KEY_END, index, END))
            process.stdin.flush()
            time.sleep(0.002)  # The load is to last until the broker was killed under it.
            if index % 100 == 99:
                on_progress(index + 1)
        process.stdin.close()
        process.wait(PATIENCE_S)
        reader.join()
        failed = re.findall(r"Delivery failed.*", log[0].decode(errors="replace"))
        if process.returncode or failed:
            raise ClientError(f"exit {process.returncode}, {len(failed)} failed: {failed[:1]}")
        return [(index, None, None) for index in range(count)]

    def topics(self):
        """Name -> number of partitions, of all topics there are."""
        output, _ = self.run("-L")
        return {name: int(count) for name, count
                in re.findall(r'topic "([^"]+)" with (\d+) partitions', output)}

    def compresses_quietly(self, topic):
        """What librdkafka says when it sends uncompressed what it was told to compress, if it does."""
        _, log = self.run("-P", "-t", topic, "-p", 0, "-z", "snappy", "-X", "debug=feature,msg",
                          stdin=b"text " * 1000 + b"\n")
        return "not compressing batch" not in log
