#!/usr/bin/env python3
"""Runs Kafka's kafka-consumer-groups, kafka-groups and a console consumer with a group, with the same
arguments, against Apache Kafka and against Leat, beside members of the groups that they ask about, and
compares what they print as tools.py does.

    group_tools.py --leat build/dev/leat --jars FOLDER --console "java ... ConsoleTools" \\
        --member "java ... Client"
"""
import contextlib
import pathlib
import re
import shlex
import sys
import tempfile

from member import Member, NO_DELAY
from tools import compare, parser_of, run_one

# As in tools.py. `join GROUP TOPIC COUNT` starts a member and waits until it has read as many records,
# `join-consumer` one by the protocol of KIP-848; `leave GROUP` lets all members of a group go.
COMMANDS = """
topics --create --topic orders --partitions 3
topics --create --topic bills --partitions 1
producer --topic orders --reader-property parse.key=true --reader-property key.separator=: < {lines}
producer --topic orders --reader-property parse.key=true --reader-property key.separator=: < {lines}
producer --topic bills --reader-property parse.key=true --reader-property key.separator=: < {lines}
groups --list
consumer-groups --list
consumer-groups --list --state
consumer-groups --describe --group nobody
consumer-groups --describe --group nobody --members
consumer-groups --describe --group nobody --state
consumer-groups --delete --group nobody
consumer-groups --delete-offsets --group nobody --topic orders
consumer-groups --reset-offsets --group nobody --topic orders --to-earliest --dry-run
consumer-groups --reset-offsets --group made --topic orders --to-latest --execute
consumer-groups --describe --group made
consumer-groups --describe --group made --state
consumer-groups --describe --group made --members
consumer --topic bills --group till --from-beginning --max-messages 2
consumer --topic bills --group till --max-messages 1
consumer-groups --describe --group till
consumer --topic bills --group till --max-messages 9 --timeout-ms 4000
consumer-groups --describe --group till
join shop orders 12
consumer-groups --list
consumer-groups --list --state
consumer-groups --list --state Stable
consumer-groups --list --state Empty,Dead
consumer-groups --list --state no-such-state
consumer-groups --list --type
consumer-groups --list --type classic
consumer-groups --list --type consumer
consumer-groups --describe --group shop
consumer-groups --describe --group shop --offsets --verbose
consumer-groups --describe --group shop --members
consumer-groups --describe --group shop --members --verbose
consumer-groups --describe --group shop --state
consumer-groups --describe --group shop --state --verbose
consumer-groups --describe --all-groups
consumer-groups --describe --all-groups --state
consumer-groups --describe --group shop --group nobody
consumer-groups --delete --group shop
consumer-groups --delete-offsets --group shop --topic orders
consumer-groups --delete-offsets --group shop --topic bills
consumer-groups --reset-offsets --group shop --topic orders --to-earliest --dry-run
consumer-groups --reset-offsets --group shop --topic orders --to-earliest --execute
groups --list
groups --list --consumer
groups --list --group-type classic
groups --list --protocol consumer
leave shop
consumer-groups --describe --group shop
consumer-groups --describe --group shop --members
consumer-groups --describe --group shop --state
consumer-groups --reset-offsets --group shop --topic orders --to-earliest --dry-run
consumer-groups --reset-offsets --group shop --topic orders --to-earliest --execute
consumer-groups --describe --group shop
consumer-groups --reset-offsets --group shop --topic orders --to-latest --execute
consumer-groups --reset-offsets --group shop --topic orders --shift-by -1 --execute
consumer-groups --reset-offsets --group shop --topic orders --shift-by 100 --dry-run
consumer-groups --reset-offsets --group shop --topic orders:0,2 --to-offset 1 --execute
consumer-groups --reset-offsets --group shop --topic orders --to-offset 900 --dry-run
consumer-groups --reset-offsets --group shop --topic orders --to-current --execute
consumer-groups --reset-offsets --group shop --topic orders --to-datetime 2020-01-01T00:00:00.000 --execute
consumer-groups --reset-offsets --group shop --topic orders --to-datetime 2100-01-01T00:00:00.000 --dry-run
consumer-groups --reset-offsets --group shop --topic orders --to-datetime soon --dry-run
consumer-groups --reset-offsets --group shop --topic orders --by-duration PT1H --dry-run
consumer-groups --reset-offsets --group shop --topic orders --by-duration PT0S --dry-run
consumer-groups --reset-offsets --group shop --from-file {plan} --dry-run
consumer-groups --reset-offsets --group shop --from-file {plan} --execute
consumer-groups --reset-offsets --group shop --all-topics --to-current --export --dry-run
consumer-groups --reset-offsets --group shop --topic bills --to-earliest --execute
consumer-groups --reset-offsets --group shop --all-topics --to-latest --execute
consumer-groups --reset-offsets --group shop --topic orders:7 --to-earliest --dry-run
consumer-groups --reset-offsets --group shop --topic nobody --to-earliest --dry-run
consumer-groups --reset-offsets --all-groups --all-topics --to-earliest --dry-run
consumer-groups --describe --all-groups
consumer-groups --delete-offsets --group shop --topic orders:1
consumer-groups --delete-offsets --group shop --topic orders:7
consumer-groups --delete-offsets --group shop --topic nobody
consumer-groups --describe --group shop
consumer-groups --delete-offsets --group shop --topic orders --topic bills
consumer-groups --describe --group shop
join shop orders 12
join shop orders 0
consumer-groups --describe --group shop --state
consumer-groups --describe --group shop --members --verbose
leave shop
join-consumer depot orders 12
consumer-groups --list --type
consumer-groups --list --type consumer
consumer-groups --list --state
consumer-groups --describe --group depot
consumer-groups --describe --group depot --offsets --verbose
consumer-groups --describe --group depot --members
consumer-groups --describe --group depot --members --verbose
consumer-groups --describe --group depot --state
consumer-groups --describe --group depot --state --verbose
consumer-groups --describe --all-groups --state
consumer-groups --delete --group depot
consumer-groups --delete-offsets --group depot --topic orders
consumer-groups --delete-offsets --group depot --topic bills
consumer-groups --reset-offsets --group depot --topic orders --to-earliest --execute
groups --list
groups --list --consumer
groups --list --group-type consumer
leave depot
consumer-groups --describe --group depot
consumer-groups --describe --group depot --members
consumer-groups --describe --group depot --state
consumer-groups --reset-offsets --group depot --topic orders --to-earliest --execute
consumer-groups --delete-offsets --group depot --topic orders:1
consumer-groups --describe --group depot
consumer-groups --delete --group depot
topics --delete --topic bills
consumer-groups --describe --group till
consumer-groups --delete --group shop --group nobody
consumer-groups --list
consumer-groups --delete --all-groups
consumer-groups --list
"""

FILES = {"lines": "a:1\nb:2\nc:3\nd:4\ne:5\nf:6\n", "plan": "orders,0,1\norders,1,0\n"}

# As in tools.py.
EXPLAINED = [
    ("consumer-groups --list --state no-such-state", "both", "Invalid state list*",
     "The tool prints a set, in an order of chance"),
]


def normal(line):
    """A line without members' ids and with single blanks: columns are as wide as those ids."""
    line = re.sub(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "-ID", line)
    line = re.sub(r"(?<!\S)[A-Za-z0-9_-]{22}(?!\S)", "ID", line)  # By KIP-848, members make them.
    return re.sub(r"\s+", " ", line).strip()


class Members:
    def __init__(self, command, folder):
        self.command, self.folder, self.of = command, folder, {}

    def run(self, tools, command, files):
        word, *rest = command.split()
        if word in ("join", "join-consumer"):
            group, topic, count = rest
            members = self.of.setdefault((tools.bootstrap, group), [])
            environment = {"GROUP_PROTOCOL": "consumer"} if word == "join-consumer" else {}
            members.append(Member.of_program(self.command, tools.bootstrap, group, topic,
                                             self.folder, environment))
            members[-1].wait_for(lambda: len(members[-1].read) >= int(count))
            return []
        if word == "leave":
            for member in self.of.pop((tools.bootstrap, rest[0])):
                member.leave()
            return []
        return [normal(line) for line in run_one(tools, command, files)]

    def close(self):
        for members in self.of.values():
            for member in members:
                member.close()


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--member", required=True, help="the command of java/Client")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="leat-groups-") as folder, contextlib.closing(
            Members(shlex.split(options.member), pathlib.Path(folder))) as members:
        return compare(options, COMMANDS, FILES, EXPLAINED, members.run, NO_DELAY)


if __name__ == "__main__":
    sys.exit(main())
