#!/usr/bin/env python3
"""Runs Kafka's own command line tools with the same arguments against Apache Kafka and against Leat,
each on fresh data, and compares what they print, line by line, and how they exit. A line that only
one of them printed passes if EXPLAINED says why. Exit 1 if one is left.

    tools.py --leat build/dev/leat --jars FOLDER --console "java -cp ... ConsoleTools"
"""
import argparse
import fnmatch
import json
import pathlib
import re
import shlex
import sys
import tempfile

from apache import ApacheKafka
from broker import Leat
from clients import ClientError
from console import Console

# One line is a tool and its arguments; the bootstrap server is added. {name} is a file of FILES, and
# behind < what the tool reads.
COMMANDS = """
topics --create --topic plain --partitions 3 --replication-factor 1
topics --create --topic plain --partitions 3 --replication-factor 1
topics --create --topic plain --if-not-exists
topics --create --topic tuned --config retention.ms=60000 --config cleanup.policy=compact
topics --create --topic placed --replica-assignment 1,1
topics --create --topic none --partitions 0
topics --create --topic none --replication-factor 2
topics --create --topic none --config no.such.config=1
topics --create --topic none --config retention.ms=soon
topics --create --topic with.dot_and_line
topics --list
topics --list --topic pl.*
topics --list --exclude-internal
topics --describe --topic plain
topics --describe --topic tuned
topics --describe --topic placed
topics --describe --topic nobody
topics --describe --topic nobody --if-exists
topics --describe --topic plain --partition-size-limit-per-response 2
topics --describe --topics-with-overrides
topics --describe --under-replicated-partitions
topics --describe --unavailable-partitions
topics --describe --under-min-isr-partitions
topics --describe --at-min-isr-partitions
topics --alter --topic plain --partitions 5
topics --describe --topic plain
topics --alter --topic plain --partitions 5
topics --alter --topic plain --partitions 4
topics --alter --topic plain --partitions 6 --replica-assignment 1,1,1,1,1,1
topics --alter --topic nobody --partitions 4
topics --alter --topic nobody --partitions 4 --if-exists
configs --describe --entity-type topics --entity-name plain
configs --describe --entity-type topics --entity-name tuned
configs --describe --entity-type topics --entity-name plain --all
configs --describe --entity-type topics --entity-name nobody
configs --describe --entity-type topics
configs --describe --topic tuned
configs --alter --entity-type topics --entity-name plain --add-config retention.ms=5000,segment.ms=7
configs --describe --entity-type topics --entity-name plain
configs --alter --entity-type topics --entity-name plain --add-config cleanup.policy=[compact,delete]
configs --describe --entity-type topics --entity-name plain
configs --alter --entity-type topics --entity-name plain --delete-config retention.ms,segment.ms
configs --describe --entity-type topics --entity-name plain
configs --alter --entity-type topics --entity-name plain --delete-config retention.ms
configs --alter --entity-type topics --entity-name plain --add-config retention.ms=soon
configs --alter --entity-type topics --entity-name plain --add-config no.such.config=1
configs --alter --entity-type topics --entity-name nobody --add-config retention.ms=1
configs --alter --entity-type topics --entity-name plain --add-config-file {configs}
configs --describe --entity-type topics --entity-name plain
configs --describe --entity-type brokers --entity-default
configs --describe --entity-type brokers --entity-name 1
configs --describe --entity-type brokers --entity-name 2
configs --alter --entity-type brokers --entity-name 1 --add-config log.dirs=x
configs --alter --entity-type brokers --entity-default --add-config node.id=1
configs --alter --entity-type brokers --entity-name 2 --add-config log.dirs=x
configs --alter --entity-type brokers --entity-default --add-config log.retention.ms=50000,log.roll.ms=9000
configs --alter --entity-type brokers --entity-name 1 --add-config message.max.bytes=2000000
configs --alter --entity-type brokers --entity-name 1 --add-config message.max.bytes=soon
configs --alter --entity-type brokers --entity-default --add-config log.segment.bytes=1
configs --alter --entity-type brokers --entity-default --add-config log.cleanup.policy=[delete,compact]
topics --describe --topic plain
configs --describe --entity-type brokers --entity-default
configs --describe --entity-type brokers --entity-name 1
configs --describe --entity-type topics --entity-name plain --all
configs --alter --entity-type brokers --entity-default --delete-config log.retention.ms,log.cleanup.policy
configs --alter --entity-type brokers --entity-default --delete-config log.roll.ms
configs --alter --entity-type brokers --entity-name 1 --delete-config message.max.bytes
topics --describe --topic plain
configs --describe --entity-type brokers --entity-default
configs --describe --entity-type brokers --entity-name 1
topics --create --topic kept --partitions 1
producer --topic kept < {lines}
producer --topic kept < {lines}
producer --topic kept < {lines}
offsets --topic kept
offsets --topic kept --time max-timestamp
delete-records --offset-json-file {offsets}
offsets --topic kept --time earliest
delete-records --offset-json-file {offsets}
delete-records --offset-json-file {wrong_offsets}
offsets --topic kept --time earliest
offsets --topic kept --time latest
offsets --topic kept --time max-timestamp
offsets --topic kept --time earliest-local
offsets --topic kept --time latest-tiered
offsets --topic kept --time 5
offsets --topic kept --time 99999999999999
offsets --topic kept --time soon
offsets --topic kept --partitions 0,7
offsets --exclude-internal-topics
log-dirs --describe
log-dirs --describe --topic-list kept,nobody
log-dirs --describe --broker-list 1
log-dirs --describe --broker-list 1,7
offsets --topic plain
offsets --topic plain --time earliest
offsets --topic-partitions plain:0,plain:3
offsets --topic nobody
offsets --topic-partitions tuned.*
cluster cluster-id
cluster list-endpoints
cluster list-endpoints --include-fenced-brokers
cluster unregister --id 7
elections --election-type preferred --all-topic-partitions
elections --election-type preferred --topic plain --partition 0
elections --election-type unclean --topic plain --partition 1
elections --election-type preferred --topic plain --partition 9
elections --election-type preferred --topic nobody --partition 0
reassignments --list
quorum describe --status
quorum describe --replication
api-versions
topics --delete --topic tuned
topics --delete --topic tuned
topics --delete --topic nobody --if-exists
topics --list
"""

FILES = {
    "configs": "retention.ms=9000\nflush.ms=1000\n",
    "lines": "a record\n",
    "offsets": '{"version": 1, "partitions": [{"topic": "kept", "partition": 0, "offset": 2}]}',
    "wrong_offsets": '{"version": 1, "partitions": [{"topic": "kept", "partition": 0, "offset": 9},'
                     ' {"topic": "kept", "partition": 7, "offset": 0},'
                     ' {"topic": "nobody", "partition": 0, "offset": 0},'
                     ' {"topic": "kept", "partition": 0, "offset": -1}]}',
}

# Command, whose line ("kafka", "leat" or "both"), the line, and the reason; all but the reason are
# patterns.
EXPLAINED = [
    ("topics --describe --topics-with-overrides", "kafka", "Topic: *Configs:",
     "It has a cluster-wide dynamic min.insync.replicas, which the tool takes for the topic's own"),
    ("configs --describe *", "both", "  min.insync.replicas=1 *", "As above"),
    ("configs --describe * --all*", "leat", "  leat.*", "Leat's own"),
    ("topics --create * --replication-factor 2", "both", "*only 1 broker(s) are registered*",
     "The same in other words: there are no log directories to cordon"),
    ("cluster unregister *", "both", "*", "Unregistering brokers is for clusters: not served yet"),
    ("quorum describe --status", "both", "LeaderEpoch:*", "Two clusters"),
    ("quorum describe --status", "both", "HighWatermark:*", "Two clusters"),
    ("quorum describe --status", "both", 'CurrentVoters: *"id": 1,*',
     "Leat's controllers have a directory, and no listener of their own"),
    ("quorum describe --replication", "both", "1*Leader", "The numbers of two clusters"),
    ("api-versions", "kafka", "*", "Leat serves and advertises less"),
    ("api-versions", "leat", "*: UNSUPPORTED*", "As above"),
    ("api-versions", "leat", "*(0): 0 to 11 *", "Produce 12 comes with transactions"),
    ("api-versions", "leat", "*Topics(*): 0 to *", "Leat takes older requests as well"),
    ("api-versions", "leat", "*ListOffsets(*): 0 to *", "For lag monitors that know v0 alone"),
]


def call_of(command, bootstrap, files):
    """Tool, arguments and input."""
    command, _, read = command.format(**files).partition(" < ")
    tool, *arguments = shlex.split(command)
    where = ["--bootstrap-server", bootstrap]
    if tool == "cluster":  # Its subcommand wants the server behind it.
        where = [arguments.pop(0), *where]
    return tool, [*where, *arguments], read or "/dev/null"


def comparable(text, bootstrap):
    """Lines without what two clusters may rightly differ in, and without Java's calls."""
    host, port = bootstrap.rsplit(":", 1)
    text = text.replace(bootstrap, "BROKER").replace(f"{host} {port}", "HOST PORT")
    text = re.sub(r"(TopicId: |Cluster ID: |ClusterId: +)\S+", r"\1ID", text)
    # Kafka has this one as a dynamic default, and several names for what has one name in Leat.
    text = re.sub(r"(Configs: .*?)min\.insync\.replicas=1,?", r"\1", text)
    text = re.sub(r"(, )?DEFAULT_CONFIG:[^,}]*", "", text)
    text = re.sub(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] ", "", text)
    text = re.sub(rf"{re.escape(host)} +{port}( *)", "HOST PORT ", text)
    lines = [line.rstrip() for line in text.splitlines()
             if not re.match(r"\s+at |\s+\.\.\. \d+ more|SLF4J", line) and line.strip()]
    return [part for line in lines
            for part in (folders(json.loads(line)) if line.startswith('{"') else [line])]


def folders(described):
    """What kafka-log-dirs says, a line for each folder and each partition."""
    for broker in described["brokers"]:
        for folder in broker["logDirs"]:
            partitions = folder.pop("partitions")
            for name, value in folder.items():
                if name == "logDir" or (name.endswith("Bytes") and value > 0):
                    folder[name] = "SOME"
            yield f"{broker['broker']} {json.dumps(folder)}"
            yield from sorted(json.dumps(partition) for partition in partitions)


def run_one(tools, command, files):
    """What a command printed, and how it ended."""
    tool, arguments, read = call_of(command, tools.bootstrap, files)
    try:
        text, end = tools.tool(tool, *arguments, input_path=read), "exit 0"
    except ClientError as problem:
        text = tools.output.read_text(errors="replace")
        end = str(problem).split(": ", 1)[-1].removeprefix("error ")
    return comparable(text + tools.errors(), tools.bootstrap) + [end]


def run_all(commands, broker, console, files, run=run_one):
    """Command -> lines. A command that comes again gets a number."""
    found = {}
    tools = Console(shlex.split(console), broker.bootstrap)
    try:
        for command in commands:
            lines = run(tools, command, files)
            name, again = command, 1
            while name in found:
                again += 1
                name = f"{command} (time {again})"
            found[name] = lines
    finally:
        tools.close()
    return found


def only_in(lines, others):
    """Those of `lines` that `others` do not have as often."""
    left = list(others)
    for line in lines:
        if line in left:
            left.remove(line)
        else:
            yield line


def report(kafka, leat, explained, show):
    used, count = set(), 0
    for command, lines in kafka.items():
        if show:
            print(f"$ {command}\n  " + "\n  ".join(leat[command]))
        for whose, mine, other in (("kafka", lines, leat[command]), ("leat", leat[command], lines)):
            for line in only_in(mine, other):
                entry = next((e for e in explained if fnmatch.fnmatchcase(command, e[0])
                              and e[1] in (whose, "both") and fnmatch.fnmatchcase(line, e[2])), None)
                if entry:
                    used.add(entry)
                    continue
                count += 1
                print(f"DIFFERENT {command}\n    only {whose}: {line[:400]}")
    for entry in explained:
        print(f"explained  {entry[0]} / {entry[1]} / {entry[2]}\n      {entry[3]}" if entry in used
              else f"explains nothing any more: {entry[:3]}")
    return count


def parser_of(words):
    parser = argparse.ArgumentParser(description=words,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", required=True)
    parser.add_argument("--plugins")
    parser.add_argument("--jars", required=True, help="Apache Kafka's jars")
    parser.add_argument("--console", required=True, help="the command of java/ConsoleTools")
    parser.add_argument("--only", help="a pattern of commands", default="*")
    parser.add_argument("--show", action="store_true", help="print what the tools say of Leat")
    return parser


def compare(options, commands, texts, explained, run=run_one, more=""):
    """Exit status. `more` is for Leat's configuration."""
    commands = [line for line in commands.strip().splitlines()
                if fnmatch.fnmatchcase(line, options.only)]
    binary = pathlib.Path(options.leat).resolve()
    brokers = [ApacheKafka(options.jars),
               Leat(binary, options.plugins or binary.parent / "plugins", more)]
    outputs = []
    with tempfile.TemporaryDirectory(prefix="leat-tools-") as folder:
        files = {name: pathlib.Path(folder, name) for name in texts}
        for name, path in files.items():
            path.write_text(texts[name])
        try:
            for broker in brokers:
                broker.start()
                outputs.append(run_all(commands, broker, options.console, files, run))
        finally:
            for broker in brokers:
                broker.stop()
                broker.remove()
    count = report(*outputs, explained, options.show)
    print(f"{len(commands)} commands,",
          f"{count} lines differ without a reason" if count else "no line differs without a reason")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(compare(parser_of(__doc__).parse_args(), COMMANDS, FILES, EXPLAINED))
