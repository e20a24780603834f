#!/usr/bin/env python3
"""A keyed topic that goes from hand to hand: Leat compacts it, Apache Kafka serves what is left, gets
more and compacts it, and Leat does so again. After each: the newest value of every key and nothing
else below the last segment, the same records in the next hands, and files without a fault for Kafka's
DumpLogSegments. Exit 1 on any difference.

    compacted.py --leat build/dev/leat --jars FOLDER --rdkafka-client PROGRAM
"""
import random
import re
import subprocess
import sys
import time

from adopt import options_of, replace_files
from apache import ApacheKafka
from broker import Leat
from clients import Program
from records import Record, compressible
from verify import FAULT, NO_FAULT, Verifier

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
TOPIC = "compacted"
CONFIGS = ["cleanup.policy=compact", "segment.bytes=1048576", "min.cleanable.dirty.ratio=0.01"]
KEYS, PATIENCE_S = 40, 90
GAPS = re.compile(r"Non-consecutive offsets in \S+\n(?:\s+-?\d+ is followed by \d+\n)+")


class Hands:
    """A broker that holds the topic for a while."""

    def __init__(self, name, broker, client_program):
        self.name, self.broker = name, broker
        self.broker.start()
        self.client = Program("rdkafka", [client_program], self.broker.bootstrap)
        self.client.create(TOPIC, 1, *CONFIGS)
        self.partition = broker.data / f"{TOPIC}-0"

    def take_over(self, other):
        self.stop()
        self.partition.mkdir(parents=True, exist_ok=True)
        replace_files(self.partition, other.partition)
        self.broker.start()

    def stop(self):
        self.client.close()
        self.broker.stop()

    def told(self):
        """Offset, key and value of each record that is there."""
        done = subprocess.run(["kcat", "-C", "-e", "-q", "-b", self.broker.bootstrap, "-t", TOPIC,
                               "-p", "0", "-o", "beginning", "-Z", "-X", "check.crcs=true",
                               "-f", "%o %k %S %s\n"],
                              capture_output=True, text=True, check=True, errors="replace")
        return [line.split(" ", 3) for line in done.stdout.splitlines() if line]


class Story:
    def __init__(self, verifier):
        self.verifier, self.source = verifier, random.Random(7)
        self.newest, self.written, self.faults = {}, 0, []

    def write(self, hands):
        now = int(time.time() * 1000)
        for part in range(20):
            records = []
            for _ in range(80):
                key = f"key{self.source.randrange(KEYS)}"
                value = None if self.source.randrange(8) == 0 else (
                    f"{self.written} ".encode() + compressible(self.source, 3000).hex().encode())
                records.append(Record(now, key.encode(), value))
                self.newest[key] = (self.written, value)
                self.written += 1
            hands.client.produce(TOPIC, 0, CODECS[part % 5], "all" if part % 4 == 0 else "1", records)

    def wait_until_compacted(self, hands):
        """Until what is there is little more than what the last segments hold."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if len(hands.told()) < 800:
                break
            time.sleep(0.2)  # Of another program's work there is no event.
        return self.check(hands, f"compacted by {hands.name}, of {self.written} written", 800)

    def check(self, hands, what, most):
        told = hands.told()
        print(f"{what}: {len(told)} records")
        if len(told) > most:
            self.faults.append(f"{what}: {len(told)} records are left")
        last = {}
        for offset, key, size, value in told:
            last[key] = (int(offset), None if size == "-1" else value)
        for key, (offset, value) in self.newest.items():
            found = last.get(key)
            text = None if value is None else value.decode()
            if found != (offset, text) and not (found is None and value is None):
                self.faults.append(f"{what}: {key} is {str(found)[:60]}, not {offset} {str(text)[:40]}")
        return told

    def compare(self, what, told, other):
        if told != other:
            self.faults.append(f"{what}: {len(other)} records, not the same {len(told)}")

    def verify(self, hands):
        """Gaps are what compaction is about; everything else counts."""
        logs = sorted(hands.partition.glob("*.log"))
        output, _ = self.verifier.run(logs, "--deep-iteration")
        found = [line for line in GAPS.sub("", output).splitlines()
                 if FAULT.search(line) and not NO_FAULT.search(line)]
        indexes = sorted([*hands.partition.glob("*.index"), *hands.partition.glob("*.timeindex")])
        found += self.verifier.run(indexes, "--index-sanity-check")[1]
        batches = len(re.findall(r"^baseOffset: ", output, re.M))
        horizons = len(re.findall(r"deleteHorizonMs: OptionalLong\[", output))
        print(f"DumpLogSegments over {hands.name}'s: {len(logs)} segments, {batches} batches,",
              f"{horizons} with a delete horizon, {len(found)} faults")
        if not horizons or not batches:
            found.append("no batch with a tombstone and a horizon")
        self.faults += found


def main():
    options = options_of(__doc__)
    soon = '\n[compaction]\ncheck_interval = "200ms"\n'
    story, all_hands = Story(Verifier(options.jars)), []

    def hands(name, broker):
        all_hands.append(Hands(name, broker, options.rdkafka_client))
        return all_hands[-1]

    try:
        leat = hands("Leat", Leat(options.leat, options.plugins, soon))
        story.write(leat)
        left = story.wait_until_compacted(leat)
        leat.stop()
        story.verify(leat)

        kafka = hands("Kafka", ApacheKafka(options.jars, more="log.cleaner.backoff.ms=200\n"))
        kafka.take_over(leat)
        story.compare("what Leat compacted, served by Kafka", left, kafka.told())
        story.write(kafka)
        left = story.wait_until_compacted(kafka)
        kafka.stop()
        story.verify(kafka)

        again = hands("Leat", Leat(options.leat, options.plugins, soon))
        again.take_over(kafka)
        story.check(again, "what Kafka compacted, served by Leat", len(left))
        story.write(again)
        story.wait_until_compacted(again)
        again.stop()
        story.verify(again)
    finally:
        for each in all_hands:
            each.stop()
            each.broker.remove()
    for fault in story.faults:
        print("WRONG", fault)
    return 1 if story.faults else 0


if __name__ == "__main__":
    sys.exit(main())
