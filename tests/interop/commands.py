#!/usr/bin/env python3
"""Runs `leat topic`, `leat produce` and `leat consume` with the same arguments against Apache Kafka and
against Leat, each on fresh data: what they print and how they exit has to be equal. Then `leat doctor`
has to find that all that it tries works with both. Exit 1 if not.

    commands.py --leat build/dev/leat --jars FOLDER
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

from apache import ApacheKafka
from broker import Leat

PATIENCE_S = 120
SETTLE_S = 10

# One line is a command and its arguments; behind < is what it reads. A line that begins with ~ is asked
# again for a while until both brokers agree: Apache Kafka answers before all of it has seen a change.
COMMANDS = r"""
topic create orders --partitions 3 -c retention.ms=60000 -c cleanup.policy=compact
~ topic list
topic create orders
topic create orders --if-not-exists
topic create 'no spaces'
topic create new -c no.such.config=1
topic create new -c retention.ms=soon
topic create new --replicas 3
topic create new --dry-run -p 4
~ topic list --json
topic describe orders
topic describe orders --json
topic alter orders -p 5 -c retention.ms=1000000 --unset cleanup.policy
~ topic describe orders
topic alter orders -p 4
topic alter orders -c retention.ms=soon
topic alter oders -p 9
topic describe oders
produce orders -p 1 -k key -H a=1 < one\ntwo\nthree\n
produce orders -p 9 < one\n
produce orders -K : -Z < a:1\nb:2\nc:\n:4\nd:5\ne:6\n
produce orders -p 2 --acks 0 -z zstd < unanswered\n
topic create times
~ topic list
produce times --json < {"key":"k","value_base64":"/wA=","partition":0,"timestamp":1700000000000}\n
~ topic describe orders
consume orders -p 1 -e
consume orders -p 1 -e -O -H -K = --null NULL
consume orders -p 1 --from -2 -e
consume orders -p 1 --from 1 -n 1
consume times --from 2020-01-01 -n 1 --json
consume times --from 2023-11-14T22:13:20 -e -T
consume times --from 2023-11-14T22:13:20.001Z -e
consume orders -p 1 --from 99
consume orders -p 7
consume oders
topic delete orders
~ topic list
topic delete orders
topic delete orders --if-exists
"""


def comparable(done):
    """The output without what belongs to one cluster; of an error what Kafka calls it."""
    text = re.sub(r'(, id |"id": ")[\w-]{22}', r"\1ID", done.stdout)
    text = re.sub(r'(?ms)^    "configs": \[.*?^    \]', '    "configs": []', text)
    said = re.sub(r"([A-Z]+_[A-Z_]+): .*?(; did you mean.*)?$", r"\1\2", done.stderr, flags=re.M)
    return [f"exit {done.returncode}", *text.splitlines(), *said.splitlines()]


def run(binary, line, broker):
    words, _, stdin = line.partition(" < ")
    done = subprocess.run([binary, *shlex.split(words), "--broker", broker.bootstrap],
                          input=stdin.replace(r"\n", "\n"), capture_output=True, text=True,
                          errors="replace", timeout=PATIENCE_S)
    return comparable(done)


def consult(binary, broker):
    """Lines of what does not work, beside what a broker may do without."""
    done = subprocess.run([binary, "doctor", broker.bootstrap, "--json"], capture_output=True, text=True,
                          timeout=PATIENCE_S)
    if done.returncode:
        yield f"leat doctor exits with {done.returncode}: {done.stderr}"
    for each in json.loads(done.stdout or "{}").get("findings", []):
        if each["area"] != "offers" and each["verdict"] != "works":
            yield " ".join(each[name] for name in ("area", "what", "verdict", "detail"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", required=True)
    parser.add_argument("--plugins")
    parser.add_argument("--jars", required=True, help="Apache Kafka's jars")
    parser.add_argument("--show", action="store_true", help="print what was said")
    options = parser.parse_args()
    binary = pathlib.Path(options.leat).resolve()
    brokers = [ApacheKafka(options.jars), Leat(binary, options.plugins or binary.parent / "plugins")]
    lines, different = COMMANDS.strip().splitlines(), 0
    try:
        for broker in brokers:
            broker.start()
        for line in lines:
            command, deadline = line.removeprefix("~ "), time.monotonic() + SETTLE_S
            kafka, leat = [run(binary, command, broker) for broker in brokers]
            while line.startswith("~") and kafka != leat and time.monotonic() < deadline:
                time.sleep(0.1)  # A poll of a foreign broker's state, bounded above.
                kafka = run(binary, command, brokers[0])
            if options.show:
                print(f"$ leat {command}\n  " + "\n  ".join(leat))
            if kafka != leat:
                different += 1
                print(f"DIFFERENT {command}\n  kafka:", *kafka, "  leat:", *leat, sep="\n    ")
        for broker in brokers:
            for line in consult(binary, broker):
                different += 1
                print(f"DOCTOR {type(broker).__name__}: {line}")
    finally:
        for broker in brokers:
            broker.stop()
            broker.remove()
    print(f"{len(lines)} commands and `leat doctor`,",
          f"{different} differences" if different else "no difference")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
