"""Kafka's console tools as a client of the matrix, all in one Java machine (java/ConsoleTools.java)."""
import os
import pathlib
import re
import tempfile
import threading
import time

from clients import ClientError, Program
from records import Record, field

KEY, VALUE, HEADER, EQUALS, NULL = "~key~", "~value~", "~header~", "~is~", "~null~"
FIELD, RECORD = "<|field|>", "<|record|>"  # Of the consumer's output; no record contains them.


def is_text(data):
    """Whether the producer, which reads lines of UTF-8, can be given these bytes."""
    try:
        return data is None or data.decode().isprintable()
    except UnicodeDecodeError:
        return False


class Console(Program):
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    can = {"create", "delete", "null_headers", "idempotent"}
    cannot = {}
    one_partition_topics = True  # The console producer has no option that names a partition.

    def __init__(self, command, bootstrap):
        self.ident, self.command, self.bootstrap, self.process = "console", command, bootstrap, None
        self.folder = tempfile.TemporaryDirectory(prefix="leat-console-")
        self.output = pathlib.Path(self.folder.name, "output")
        self.name = "Kafka console tools " + self.tool("topics", "--version").split()[0]

    def tool(self, tool, *arguments, input_path="/dev/null"):
        """What the tool printed."""
        self.ask(tool, input_path, self.output, *arguments)
        return self.output.read_bytes().decode("latin-1")

    def errors(self):
        return pathlib.Path(f"{self.output}.err").read_text(errors="replace")

    def last_words(self):
        return self.errors()[-300:]

    def select(self, records):
        return [Record(0, *r[1:]) for r in records
                if all(map(is_text, (r.key, r.value, *(part for pair in r.headers for part in pair))))]

    def shows(self, line):
        """A null key, value or header looks like the text that stands for null, so none is it."""
        return line

    def create(self, topic, partitions, *config):
        self.tool("topics", "--bootstrap-server", self.bootstrap, "--create", "--topic", topic,
                  "--partitions", partitions)

    def delete(self, topic):
        self.tool("topics", "--bootstrap-server", self.bootstrap, "--delete", "--topic", topic)

    def producer(self, topic, input_path, codec="none", acks="all", **properties):
        reader = {"parse.key": "true", "parse.headers": "true", "key.separator": VALUE,
                  "headers.delimiter": KEY, "headers.separator": HEADER,
                  "headers.key.separator": EQUALS, "null.marker": NULL}
        options = [f"--reader-property={name}={value}" for name, value in reader.items()]
        options += [f"--command-property={name.replace('_', '.')}={value}"
                    for name, value in properties.items()]
        self.tool("producer", "--bootstrap-server", self.bootstrap, "--topic", topic,
                  "--compression-codec", codec, "--request-required-acks", acks,
                  "--message-send-max-retries", "1000", *options, input_path=input_path)

    @staticmethod
    def input_line(record):
        def text(data):
            return NULL if data is None else data.decode()
        headers = HEADER.join(text(name) + EQUALS + text(value) for name, value in record.headers)
        return (headers or NULL) + KEY + text(record.key) + VALUE + text(record.value) + "\n"

    def produce(self, topic, partition, codec, acks, records):
        with tempfile.NamedTemporaryFile("w", dir=self.folder.name) as file:
            file.writelines(map(self.input_line, records))
            file.flush()
            self.producer(topic, file.name, codec, acks, linger_ms=20)
        if "ERROR" in self.errors():
            raise ClientError(self.last_words())

    def consume(self, topic, partition, offset, count):
        shown = {"print.timestamp": "true", "print.offset": "true", "print.headers": "true",
                 "print.key": "true", "key.separator": FIELD, "line.separator": RECORD,
                 "headers.separator": HEADER, "null.literal": NULL}
        options = [f"--formatter-property={name}={value}" for name, value in shown.items()]
        output = self.tool("consumer", "--bootstrap-server", self.bootstrap, "--topic", topic,
                           "--partition", partition, "--offset", offset, "--max-messages", count,
                           "--timeout-ms", "30000", *options)
        return [self.parse(record) for record in output.split(RECORD)[:-1]]

    @staticmethod
    def parse(record):
        """A pair of offset and line. The formatter prints its parts in this order."""
        def part(text):
            return field(None if text == NULL else text.encode("latin-1"))
        timestamp, offset, headers, key, value = record.split(FIELD)
        pairs = [] if headers == "NO_HEADERS" else [h.split(":", 1) for h in headers.split(HEADER)]
        line = [timestamp.split(":")[1], part(key), part(value),
                *(f"{part(name)}:{part(data)}" for name, data in pairs)]
        return int(offset.split(":")[1]), " ".join(line)

    def time(self, topic, partition, timestamp):
        output = self.tool("offsets", "--bootstrap-server", self.bootstrap, "--topic-partitions",
                           f"{topic}:{partition}", "--time", timestamp)
        found = re.search(r":\d+:(-?\d+)", output)
        return int(found[1]) if found else -1

    def too_large(self, topic, partition, size):
        with tempfile.NamedTemporaryFile("w", dir=self.folder.name) as file:
            file.write(self.input_line(Record(0, b"large", b"L" * size)))
            file.write(self.input_line(Record(0, b"good", b"after the large one")))
            file.flush()
            self.producer(topic, file.name, max_request_size=10_000_000, linger_ms=0)
        refused = re.search(r"\w+TooLargeException", self.errors())
        return refused[0] if refused else "no error: " + self.last_words()

    def endure(self, topic, partition, count, on_progress):
        """The tool is fed through a pipe; that all went well it says by logging no error."""
        pipe = pathlib.Path(self.folder.name, "pipe")
        os.mkfifo(pipe)

        def feed():
            with open(pipe, "w") as lines:
                for index in range(count):
                    lines.write(self.input_line(
                        Record(0, b"%d" % index, b"endure %d" % index)))
                    lines.flush()
                    time.sleep(0.002)  # The load is to last until the broker was killed under it.
                    if index % 100 == 99:
                        on_progress(index + 1)
        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        self.producer(topic, pipe, linger_ms=5, delivery_timeout_ms=90_000)
        feeder.join()
        if " ERROR " in self.errors():
            raise ClientError(self.last_words())
        return [(index, None, None) for index in range(count)]
