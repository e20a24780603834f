"""Leat's own command line as a client of the matrix: a process for each step, records as JSON lines."""
import base64
import json
import subprocess
import time

from clients import PATIENCE_S, ClientError
from records import field


def put(name, data):
    """A member of an object: bytes that are no text go in base64."""
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


def get(name, members):
    if f"{name}_base64" in members:
        return base64.b64decode(members[f"{name}_base64"])
    text = members[name]
    return None if text is None else text.encode()


def line_of(record, timestamp):
    members = {**put("key", record.key), **put("value", record.value),
               "headers": [{**put("name", name), **put("value", value)}
                           for name, value in record.headers]}
    return json.dumps({**members, **({"timestamp": record.timestamp} if timestamp else {})}) + "\n"


def shown(members):
    headers = (f"{field(get('name', each))}:{field(get('value', each))}"
               for each in members["headers"])
    return " ".join([str(members["timestamp"]), field(get("key", members)),
                     field(get("value", members)), *headers])


class LeatCommands:
    ident, acks = "leat", ("all", "1", "0")
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    can = {"create", "delete", "times", "null_headers"}
    one_partition_topics = False
    cannot = {}

    def __init__(self, binary, bootstrap):
        self.binary, self.bootstrap = str(binary), bootstrap
        self.name = "leat " + self.run("--version", broker=False).strip()

    def command(self, *arguments, broker=True):
        where = ["--broker", self.bootstrap] if broker else []
        return [self.binary, *map(str, arguments), *where]

    def run(self, *arguments, stdin="", broker=True):
        done = subprocess.run(self.command(*arguments, broker=broker), input=stdin.encode(),
                              capture_output=True, timeout=PATIENCE_S)
        if done.returncode != 0:
            raise ClientError(done.stderr[-300:].decode(errors="replace"))
        return done.stdout.decode()

    def close(self):
        pass

    @staticmethod
    def select(records):
        return records

    @staticmethod
    def shows(line):
        return line

    def create(self, topic, partitions):
        self.run("topic", "create", topic, "--partitions", partitions)

    def delete(self, topic):
        self.run("topic", "delete", topic)

    def produce(self, topic, partition, codec, acks, records):
        self.run("produce", topic, "-p", partition, "-z", codec, "--acks", acks, "--json",
                 stdin="".join(line_of(record, True) for record in records))

    def read(self, topic, partition, start, *options):
        output = self.run("consume", topic, "-p", partition, "--from", start, "--json", *options)
        return [json.loads(line) for line in output.splitlines()]

    def consume(self, topic, partition, offset, count):
        return [(members["offset"], shown(members))
                for members in self.read(topic, partition, offset, "-n", count)]

    def time(self, topic, partition, timestamp):
        found = self.read(topic, partition, f"@{timestamp}", "-n", 1, "--exit-at-end")
        return found[0]["offset"] if found else -1

    def too_large(self, topic, partition, size):
        try:
            self.run("produce", topic, "-p", partition, stdin="L" * size)
            error = "none"
        except ClientError as problem:
            error = str(problem)
        self.run("produce", topic, "-p", partition, stdin="after the large one\n")
        return error

    def endure(self, topic, partition, count, on_progress):
        """One process is fed all the while; that all is acknowledged it says by ending with 0."""
        process = subprocess.Popen(
            self.command("produce", topic, "-p", partition, "-K", ":", "--timeout", "90s"),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for index in range(count):
            process.stdin.write(b"%d:endure %d\n" % (index, index))
            process.stdin.flush()
            time.sleep(0.002)  # The load is to last until the broker was killed under it.
            if index % 100 == 99:
                on_progress(index + 1)
        _, log = process.communicate(timeout=PATIENCE_S)
        if process.returncode:
            raise ClientError(f"exit {process.returncode}: {log[-300:].decode(errors='replace')}")
        return [(index, None, None) for index in range(count)]
