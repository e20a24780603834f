#!/usr/bin/env python3
"""A partition that Apache Kafka wrote, put under Leat: its files replace those of a topic of the same
name (but for partition.metadata, which holds the topic's id), and Leat serves what is in them.

    adopt.py --leat build/dev/leat --jars FOLDER --rdkafka-client PROGRAM
"""
import argparse
import pathlib
import shutil
import sys
import time

from apache import ApacheKafka
from broker import Leat
from clients import Program
from records import Record, record_set
from steps import first_difference

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
TOPIC = "adopted"


def written_by_kafka(options, folder):
    """Fills the folder with a stopped Kafka's files; returns the lines of the records in them."""
    kafka, lines = ApacheKafka(options.jars), []
    try:
        kafka.start()
        client = Program("rdkafka", [options.rdkafka_client], kafka.bootstrap)
        client.create(TOPIC, 1, "segment.bytes=1048576")
        for part in range(10):
            records = record_set(f"adopt {part}", int(time.time() * 1000) - 3_600_000, large=True)
            client.produce(TOPIC, 0, CODECS[part % 5], "all", records)
            lines += [record.line() for record in records]
        client.close()
        kafka.stop()
        shutil.copytree(kafka.data / f"{TOPIC}-0", folder)
    finally:
        kafka.stop()
        kafka.remove()
    return lines


def replace_files(partition, folder):
    for path in partition.iterdir():
        if path.name != "partition.metadata":
            path.unlink()
    for path in folder.iterdir():
        if path.name != "partition.metadata":
            shutil.copy(path, partition)
    print(f"adopted {len(list(folder.glob('*.log')))} segments:",
          ", ".join(sorted(path.name for path in partition.iterdir())))


def problems(client, lines):
    """What is wrong with what Leat serves of them, as sentences."""
    got = client.consume(TOPIC, 0, 0, len(lines))
    if [offset for offset, _ in got] != list(range(len(lines))):
        yield "offsets are not those of the records"
    difference = first_difference(lines, [line for _, line in got])
    if difference:
        yield difference
    middle = len(lines) // 2
    got = client.consume(TOPIC, 0, middle, 3)
    if got != list(enumerate(lines))[middle:middle + 3]:
        yield f"from offset {middle} it reads {str(got)[:200]}"
    target = int(lines[middle].split()[0])
    wanted = next(n for n, line in enumerate(lines) if int(line.split()[0]) >= target)
    found = client.time(TOPIC, 0, target)
    if found != wanted:
        yield f"time {target} is at offset {found}, not {wanted}"
    more = Record(target, b"one", b"more")
    # Not by an idempotent producer: its new id may be one that Kafka gave away in this log.
    client.produce(TOPIC, 0, "zstd", "1", [more])
    got = client.consume(TOPIC, 0, len(lines), 1)
    if got != [(len(lines), more.line())]:
        yield f"a record written after them reads as {str(got)[:200]}"


def options_of(doc):
    """Of a command that has Leat, Apache Kafka and a client: paths made absolute, plugins filled in."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--leat", "--jars", "--rdkafka-client"):
        parser.add_argument(option, required=True)
    parser.add_argument("--plugins")
    options = parser.parse_args()
    options.leat = pathlib.Path(options.leat).resolve()
    options.plugins = options.plugins or options.leat.parent / "plugins"
    return options


def main():
    options = options_of(__doc__)
    leat = Leat(options.leat, options.plugins)
    try:
        folder = leat.home / "from-kafka"
        lines = written_by_kafka(options, folder)
        leat.start()
        client = Program("rdkafka", [options.rdkafka_client], leat.bootstrap)
        client.create(TOPIC, 1)
        client.close()
        leat.stop()
        partition = leat.data / f"{TOPIC}-0"
        partition.mkdir(parents=True, exist_ok=True)  # Files may be made on the first append only.
        replace_files(partition, folder)
        leat.start()
        found = list(problems(client, lines))
        client.close()
    finally:
        leat.stop()
        leat.remove()
    for problem in found:
        print("WRONG", problem)
    print(f"{len(lines)} records of Apache Kafka:", f"{len(found)} problems" if found
          else "served as they were, and one more after them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
