"""Speaks to the programs in tests/real_clients by the protocol of the README.md there."""
import os
import re
import selectors
import subprocess
import tempfile
import time

from records import writable

PATIENCE_S = 120


class ClientError(Exception):
    """A client answered with an error, died or fell silent."""


class Program:
    """A client behind a program that is started once and again after it failed."""

    acks = ("all", "1", "0")
    one_partition_topics = False
    environment = None  # Our own.

    def __init__(self, ident, command, bootstrap, environment=None):
        self.ident, self.command, self.bootstrap = ident, command, bootstrap
        self.environment = os.environ | environment if environment else None
        self.process, self.buffer = None, b""
        lines = [line.split(" ", 1) for line in self.ask("hello")]
        self.cannot = dict(text.split(": ", 1) for word, text in lines if word == "cannot")
        facts = dict(lines)
        self.name, self.codecs = facts["name"], facts["codecs"].split()
        self.can = set(facts["can"].split())
        self.sees = set(facts.get("sees", "").split())

    def start(self):
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*self.command, self.bootstrap], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.stderr,
                                        env=self.environment)
        self.buffer = b""

    def ask(self, *words, on_line=None):
        """The lines of the answer, without their `= `."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write((" ".join(str(word) for word in words) + "\n").encode())
        self.process.stdin.flush()
        lines, deadline = [], time.monotonic() + PATIENCE_S
        while (line := self.read_line(deadline)) != "ok":
            if line.startswith("= "):
                lines.append(line[2:])
                if on_line:
                    on_line(line[2:])
            else:
                raise ClientError(f"{words[0]}: {line[:300]}")
        return lines

    def read_line(self, deadline):
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not ready.select(max(0, deadline - time.monotonic())):
                    self.close()
                    raise ClientError("no answer in time")
                more = os.read(self.process.stdout.fileno(), 1 << 20)
                if not more:
                    raise ClientError("died: " + self.last_words())
                self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def last_words(self):
        self.stderr.seek(0)
        return self.stderr.read()[-300:].decode(errors="replace")

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def select(self, records):
        """What this client makes of a set of records: what it can express."""
        records = writable(records, self.can)
        if "headers_by_name" in self.sees:
            return [r for r in records if len(r.headers) == len(dict(r.headers))]
        return records

    def shows(self, line):
        """What this client shows of a record: all of it, but that some show empty bytes as null."""
        return re.sub(r"(?<=[ :])x(?=[ :]|$)", "null", line) if "empty_as_null" in self.sees else line

    def create(self, topic, partitions, *config):
        self.ask("create", topic, partitions, *config)

    def delete(self, topic):
        self.ask("delete", topic)

    def produce(self, topic, partition, codec, acks, records):
        once = acks == "all" and "idempotent" in self.can
        with tempfile.NamedTemporaryFile("w", suffix=".records") as file:
            file.writelines(record.line() + "\n" for record in records)
            file.flush()
            self.ask("produce", topic, partition, codec, acks, int(once), file.name)

    def consume(self, topic, partition, offset, count):
        """Pairs of offset and line."""
        answer = self.ask("consume", topic, partition, offset, count)
        return [(int(offset), line) for offset, line in (each.split(" ", 1) for each in answer)]

    def time(self, topic, partition, timestamp):
        return int(self.ask("time", topic, partition, timestamp)[0])

    def too_large(self, topic, partition, size):
        return self.ask("too_large", topic, partition, size)[0]

    def endure(self, topic, partition, count, on_progress):
        """Triples of index, offset or None, and error or None."""
        def on_line(line):
            word, *rest = line.split()
            if word == "progress":
                on_progress(int(rest[0]))
        once = int("idempotent" in self.can)
        answer = self.ask("endure", topic, partition, count, once, on_line=on_line)
        results = []
        for word, index, rest in (line.split(" ", 2) for line in answer
                                  if not line.startswith("progress")):
            acked = word == "acked"
            results.append((int(index), int(rest) if acked else None, None if acked else rest))
        return results
