#!/usr/bin/env python3
"""Programs that are built on Kafka's consumer groups, against Leat: a Kafka Streams application, Kafka
Connect with a file source and a file sink, MirrorMaker 2 between Apache Kafka and Leat, both ways
at once, and Burrow, which reads the topic of the offsets itself. Exit 1 if one of them does not do its work.

    programs.py --leat build/dev/leat --jars FOLDER --connect-jars FOLDER --classes FOLDER
"""
import argparse
import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time

import burrow
from apache import ApacheKafka, free_ports
from broker import Leat
from clients import ClientError, Program
from foreign import Failed, PATIENCE_S, java, running, wait_for
from kafka_messages import Messages
from member import Member, NO_DELAY
from session import Session

LINES = 200
OPTIONS = {"burrow": burrow.OPTIONS}  # Of a program, in the section [group_coordinator].

WORKER = """\
bootstrap.servers={bootstrap}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename={folder}/offsets
offset.flush.interval.ms=500
listeners=http://127.0.0.1:{port}
"""
SOURCE = """\
name=source
connector.class=org.apache.kafka.connect.file.FileStreamSourceConnector
tasks.max=1
file={folder}/in
topic=connected
"""
SINK = """\
name=sink
connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
tasks.max=1
file={folder}/out
topics=connected
"""
MIRROR = """\
clusters=apache,leat
apache.bootstrap.servers={apache}
leat.bootstrap.servers={leat}
apache->leat.enabled=true
leat->apache.enabled=true
topics=mirrored.*
groups=shop
replication.factor=1
checkpoints.topic.replication.factor=1
heartbeats.topic.replication.factor=1
offset-syncs.topic.replication.factor=1
offset.storage.replication.factor=1
status.storage.replication.factor=1
config.storage.replication.factor=1
emit.checkpoints.interval.seconds=1
refresh.topics.interval.seconds=2
refresh.groups.interval.seconds=2
sync.group.offsets.enabled=true
sync.group.offsets.interval.seconds=1
offset.flush.interval.ms=1000
"""


def count_words(options, bootstrap, folder):
    """The program itself compares the counts at each stage."""
    done = subprocess.run(java(f"{options.classes}:{options.jars}/*", "WordCount", bootstrap, folder),
                          capture_output=True, text=True, timeout=3 * PATIENCE_S)
    if done.returncode:
        raise Failed((done.stdout + done.stderr)[-600:])
    return "one instance, two, and the second alone counted every word once"


def connect_files(options, bootstrap, folder):
    """A file goes through a topic into another; after a restart it goes on where it was."""
    files = {name: folder / name for name in ("worker", "source", "sink")}
    port, = free_ports(1)
    for name, text in (("worker", WORKER), ("source", SOURCE), ("sink", SINK)):
        files[name].write_text(text.format(bootstrap=bootstrap, folder=folder, port=port))
    written, read = folder / "in", folder / "out"
    connect = java(f"{options.connect_jars}/*", "org.apache.kafka.connect.cli.ConnectStandalone",
                   *files.values())
    text = ""
    for start in range(2):
        text += "".join(f"line {start} {number}\n" for number in range(LINES))
        written.write_text(text)
        with running(connect, folder / "log") as process:
            wait_for(lambda: read.exists() and len(read.read_text()) >= len(text), "the lines", process)
        if read.read_text() != text:
            raise Failed(f"start {start}: the files differ, {len(text)} and "
                         f"{len(read.read_text())} bytes")
    return f"{2 * LINES} lines went through a topic once each, over a restart"


def ends(session, topic):
    answer = session.quietly("ListOffsets", 6, {"ReplicaId": -1, "Topics": [
        {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]}]})
    return answer["Topics"][0]["Partitions"][0]["Offset"]


def committed(session, topic):
    answer = session.quietly("OffsetFetch", 7, {"GroupId": "shop", "Topics": [
        {"Name": topic, "PartitionIndexes": [0]}]})
    return answer["Topics"][0]["Partitions"][0]["CommittedOffset"]


def mirror(options, bootstrap, folder):
    """Records go both ways, and what a group has committed at one side is committed at the other."""
    kafka = ApacheKafka(options.jars)
    client = java(f"{options.classes}:{options.jars}/*", "Client")
    records = folder / "records"
    records.write_text("0 null x61\n" * LINES)
    messages = Messages(next(pathlib.Path(options.jars).glob("kafka-clients-*.jar")))
    properties = folder / "mirror"
    with contextlib.ExitStack() as ending:
        ending.callback(kafka.remove)
        kafka.start()
        ending.callback(kafka.stop)
        properties.write_text(MIRROR.format(apache=kafka.bootstrap, leat=bootstrap))
        sides = {"apache": kafka.bootstrap, "leat": bootstrap}
        asking = {name: Session(messages, at, 0) for name, at in sides.items()}
        for name, at in sides.items():
            program = Program(name, client, at)
            ending.callback(program.close)
            program.create(f"mirrored-{name}", 1)
            program.ask("produce", f"mirrored-{name}", 0, "none", "all", 0, records)
        mirrors = java(f"{options.connect_jars}/*", "org.apache.kafka.connect.mirror.MirrorMaker",
                       properties)
        with running(mirrors, folder / "log") as process:
            pairs = (("apache", "leat"), ("leat", "apache"))
            for here, there in pairs:
                wait_for(lambda: ends(asking[there], f"{here}.mirrored-{here}") == LINES,
                         f"the records of {here}", process)
            for here, there in pairs:
                member = Member.of_program(client, sides[here], "shop", f"mirrored-{here}", folder)
                member.wait_for(lambda: len(member.read) == LINES)
                member.leave()
                wait_for(lambda: committed(asking[there], f"{here}.mirrored-{here}") == LINES,
                         f"what was committed at {here}", process)
    return f"{LINES} records and a group's offsets went both ways"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", required=True, type=pathlib.Path)
    parser.add_argument("--plugins")
    parser.add_argument("--jars", required=True, help="Apache Kafka's, with Streams")
    parser.add_argument("--connect-jars", required=True, help="Connect's and MirrorMaker's")
    parser.add_argument("--classes", required=True, help="of tests/real_clients/java")
    parser.add_argument("--only", default="", help="names of programs, with commas between them")
    options = parser.parse_args()
    programs = {"streams": count_words, "connect": connect_files, "mirror": mirror,
                "burrow": burrow.watch}
    binary, failed = options.leat.resolve(), 0
    for name, run in programs.items():
        if options.only and name not in options.only.split(","):
            continue
        leat = Leat(binary, options.plugins or binary.parent / "plugins",
                    NO_DELAY + OPTIONS.get(name, ""))
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="leat-programs-") as folder:
            try:
                leat.start()
                said = run(options, leat.bootstrap, pathlib.Path(folder))
                print(f"{name:8} {time.monotonic() - began:4.0f} s  {said}", flush=True)
            except (Failed, ClientError) as problem:
                failed += 1
                print(f"FAILED {name}: {problem}", flush=True)
            finally:
                leat.stop()
                leat.remove()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
