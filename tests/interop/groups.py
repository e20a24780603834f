#!/usr/bin/env python3
"""Members of consumer groups, for every client the same story: one reads all partitions; a second
comes and they share them; the first leaves and the second reads all again; it leaves as well, and a
third goes on exactly where it had committed. Exit 1 if the story of one client fails.

    groups.py --leat build/dev/leat --rdkafka-client PROGRAM --program NAME=COMMAND...

Programs that are named by --consumers get GROUP_PROTOCOL=consumer into their environment, and must
then be members by the protocol of KIP-848.
"""
import argparse
import concurrent.futures
import contextlib
import functools
import json
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

from apache import ApacheKafka
from broker import Leat
from clients import ClientError, Program
from matrix import add_client_arguments, client_makers
from member import Member, NO_DELAY

PARTITIONS = 4
AT_ONCE = 3  # Clients whose stories run at the same time.
# Of the protocol of KIP-848 the broker says how often.
HEARTBEATS = 'consumer_heartbeat_interval = "500ms"\n'
KAFKA_HEARTBEATS = ("group.consumer.min.heartbeat.interval.ms=500\n"
                    "group.consumer.heartbeat.interval.ms=500\n")


class KcatMember:
    """kcat's balanced consumer in the place of a program; it commits when it is told to end."""

    def __init__(self, bootstrap):
        self.bootstrap, self.process = bootstrap, None

    def ask(self, _, group, topic, until, on_line):
        self.process = subprocess.Popen(
            ["kcat", "-b", self.bootstrap, "-X", "auto.offset.reset=earliest", "-X",
             "heartbeat.interval.ms=500", "-q", "-u", "-f", "%p %o\n", "-G", group, topic],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def end():
            while not until.exists() and self.process.poll() is None:
                time.sleep(0.05)  # A poll for the word to leave.
            self.process.send_signal(signal.SIGTERM)
        threading.Thread(target=end, daemon=True).start()
        for line in self.process.stdout:
            on_line(line)
        if self.process.wait():
            raise ClientError(f"kcat ended with {self.process.returncode}")

    def close(self):
        if self.process:
            self.process.kill()


class Topic:
    """Written in rounds: one record to each partition, so that a record's offset is its round."""

    def __init__(self, writer, name):
        self.writer, self.name, self.rounds = writer, name, 0
        writer.create(name, PARTITIONS)

    def write(self):
        with tempfile.NamedTemporaryFile("w", suffix=".records") as file:
            file.write("0 null x61\n")
            file.flush()
            for partition in range(PARTITIONS):
                self.writer.ask("produce", self.name, partition, "none", "all", 0, file.name)
        self.rounds += 1

    def round(self, number):
        return {(partition, number) for partition in range(PARTITIONS)}

    def everything(self):
        return {each for number in range(self.rounds) for each in self.round(number)}

    def read_by(self, *members):
        """Whether the last round was read by these and by each of them a part."""
        last = self.round(self.rounds - 1)
        shares = [last & set(member.read) for member in members]
        return all(shares) and set().union(*shares) == last

    def alternating(self, *members):
        """For Member.wait_for: writes another round when the last one had its time."""
        since = [time.monotonic()]

        def act():
            if time.monotonic() - since[0] > 0.5 and not self.read_by(*members):
                self.write()
                since[0] = time.monotonic()
        return act


def story(ident, join, topic):
    """`join` makes one more member of the group."""
    first = join()
    topic.write()
    first.wait_for(lambda: topic.read_by(first), what="all partitions to the first")
    second = join()
    second.wait_for(lambda: topic.read_by(first, second), topic.alternating(first, second),
                    "a share for each")
    first.leave()
    topic.write()
    second.wait_for(lambda: topic.round(topic.rounds - 1) <= set(second.read),
                    what="all partitions to the second")
    second.wait_for(lambda: topic.everything() <= set(first.read + second.read),
                    what="every record")
    second.leave()
    topic.write()
    third = join()
    third.wait_for(lambda: topic.read_by(third), what="the last round to the third")
    third.leave()
    if set(third.read) != topic.round(topic.rounds - 1):
        raise ClientError(f"the third read again what was committed: {sorted(third.read)}")
    again = len(first.read + second.read) - len(set(first.read + second.read))
    return f"{ident:18} {topic.rounds} rounds, {again} records read again after a rebalance"


def tell(ident, make, writer_command, bootstrap, folder):
    with contextlib.ExitStack() as ends:
        writer = Program("writer", writer_command, bootstrap)
        ends.callback(writer.close)
        topic = Topic(writer, f"group-of-{ident}")

        def join():
            member = Member(make(bootstrap), group_of(ident), topic.name, folder)
            ends.callback(member.close)
            return member
        return story(ident, join, topic)


def consumer_makers(options):
    named = (each.split("=", 1) for each in options.consumers)
    return {name: functools.partial(Program, name, shlex.split(command),
                                    environment={"GROUP_PROTOCOL": "consumer"})
            for name, command in named}


def group_of(ident):
    return f"group of {ident}".replace(" ", "-")


def wrong_types(options, bootstrap):
    """How many groups are of another protocol than they should: a library may go back in silence."""
    listed = json.loads(subprocess.run(
        [options.leat.resolve(), "group", "list", "--json", "--type", "consumer", "--broker",
         bootstrap], check=True, capture_output=True).stdout)
    found = {each["group"] for each in listed}
    wanted = {group_of(name) for name in consumer_makers(options)}
    for group in found ^ wanted:
        print(f"FAILED {group}: it is of the wrong protocol")
    return len(found ^ wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", type=pathlib.Path)
    parser.add_argument("--plugins")
    parser.add_argument("--apache", metavar="JARS", help="asks an Apache Kafka instead")
    parser.add_argument("--consumers", action="append", default=[], metavar="NAME=COMMAND")
    add_client_arguments(parser)
    options = parser.parse_args()
    makers = {name: KcatMember if name == "kcat" else make
              for name, make in client_makers(options).items()
              if name not in ("leat", "console", "omkafka")}
    makers |= consumer_makers(options)
    broker = ApacheKafka(options.apache, more=KAFKA_HEARTBEATS) if options.apache else Leat(
        options.leat.resolve(), options.plugins or options.leat.resolve().parent / "plugins",
        NO_DELAY + HEARTBEATS)
    began, failed = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="leat-groups-") as folder:
        try:
            broker.start()
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                told = {ident: pool.submit(tell, ident, make, [options.rdkafka_client],
                                           broker.bootstrap, pathlib.Path(folder))
                        for ident, make in makers.items()}
            for ident, ended in told.items():
                try:
                    print(ended.result())
                except ClientError as problem:
                    failed += 1
                    print(f"FAILED {ident}: {problem}")
            if options.leat:
                failed += wrong_types(options, broker.bootstrap)
        finally:
            broker.stop()
            broker.remove()
    print(f"{len(makers)} clients, {time.monotonic() - began:.0f} s:",
          f"{failed} failed" if failed else "every group went on where it had committed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
