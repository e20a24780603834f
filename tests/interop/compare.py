#!/usr/bin/env python3
"""Sends the same raw requests to Apache Kafka and to Leat and compares the answers field by field.
A difference passes only if differences.py has an entry for it. Exit 1 if one is left.

    compare.py --leat build/dev/leat --jars FOLDER      starts both, on fresh data
    compare.py --left HOST:PORT --right HOST:PORT --jars FOLDER      two running brokers
"""
import argparse
import fnmatch
import json
import pathlib
import sys
import time

import cases_alter
import cases_consumer_groups
import cases_fetch
import cases_groups
import cases_migration
import cases_odd
import cases_odd_records
import cases_records
import cases_sessions
import cases_topics
import cases_trim
from apache import ApacheKafka
from broker import Leat, Running
from differences import EXPLAINED, OPEN
from kafka_messages import Messages
from member import NO_DELAY
from session import Session

ALL = (cases_topics.CASES + cases_alter.CASES + cases_records.CASES + cases_fetch.CASES + cases_odd.CASES
       + cases_odd_records.CASES + cases_trim.CASES + cases_sessions.CASES + cases_groups.CASES
       + cases_consumer_groups.CASES + cases_migration.CASES)

# Assignments follow each other at once, as Leat's do.
AT_ONCE = "group.consumer.assignment.interval.ms=0\n"


def run_cases(cases, messages, broker, now):
    """Case -> step -> answer; a case that breaks off leaves a step that says why."""
    found = {}
    for case in cases:
        session = Session(messages, broker.bootstrap, now)
        try:
            case(session)
        except Exception as problem:  # One broken case is not to hide the others' answers.
            session.steps["broke off"] = f"{type(problem).__name__}: {problem}"
        session.close()
        found[case.__name__] = session.steps
    return found


def differences(left, right, path=""):
    """Triples of path, left and right."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in {**left, **right}:
            yield from differences(left.get(key, "absent"), right.get(key, "absent"),
                                   f"{path} / {key}" if path else str(key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (a, b) in enumerate(zip(left, right)):
            yield from differences(a, b, f"{path} / {index}")
    elif left != right:
        yield path, left, right


def broken_off(answers):
    """Cases that ended early, also if they did on both sides alike."""
    return [(f"{case} / broke off", *(side[case].get("broke off") for side in answers))
            for case in answers[0] if all("broke off" in side[case] for side in answers)]


def entry_for(path, kafka, leat, entries):
    """The first entry that fits a difference."""
    for entry in entries:
        pattern, of_kafka, of_leat, _ = entry
        if (fnmatch.fnmatchcase(path, pattern)
                and fnmatch.fnmatchcase(json.dumps(kafka), of_kafka)
                and fnmatch.fnmatchcase(json.dumps(leat), of_leat)):
            return entry
    return None


def sort_out(found, entries):
    """Entry -> its differences, and those that no entry fits."""
    fitting, rest = {}, []
    for difference in found:
        entry = entry_for(*difference, entries)
        fitting.setdefault(entry, []).append(difference) if entry else rest.append(difference)
    return fitting, rest


def report(found, options):
    explained, rest = sort_out(found, EXPLAINED)
    still_open, rest = sort_out(rest, OPEN)
    for title, entries in (("explained", explained), ("OPEN", still_open)):
        for (pattern, _, _, reason), members in entries.items():
            print(f"{title} {len(members):4}  {pattern}\n      {reason}")
    for entry in EXPLAINED + OPEN:
        if entry not in explained and entry not in still_open:
            print(f"explains nothing any more: {entry[0]} {entry[1:3]}")
    for path, a, b in rest:
        print(f"DIFFERENT {path}\n    kafka {short(a)}\n    leat  {short(b)}")
    if options.json:
        options.json.write_text(json.dumps({"different": [
            {"path": path, "kafka": a, "leat": b} for path, a, b in rest]} | {
                title: [{"entry": entry, "paths": [path for path, _, _ in members]}
                        for entry, members in entries.items()]
                for title, entries in (("explained", explained), ("open", still_open))}, indent=1))
    return len(rest)


def short(value):
    text = json.dumps(value)
    return text if len(text) < 300 else text[:300] + " ..."


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat")
    parser.add_argument("--plugins")
    parser.add_argument("--jars", required=True, help="Apache Kafka's jars")
    parser.add_argument("--left")
    parser.add_argument("--right")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", help="a pattern of cases' names")
    parser.add_argument("--show", action="store_true", help="print the left side's answers")
    options = parser.parse_args()
    messages = Messages(next(pathlib.Path(options.jars).glob("kafka-clients-*.jar")))
    cases = [case for case in ALL if fnmatch.fnmatchcase(case.__name__, options.only or "*")]
    left = Running(options.left) if options.left else ApacheKafka(options.jars, more=AT_ONCE)
    if options.leat:
        binary = pathlib.Path(options.leat).resolve()
        right = Leat(binary, options.plugins or binary.parent / "plugins", NO_DELAY)
    else:
        right = Running(options.right) if options.right else ApacheKafka(options.jars, more=AT_ONCE)
    now, began = int(time.time() * 1000) - 1_200_000, time.monotonic()
    answers = []
    try:
        for broker in (left, right):
            broker.start()
            answers.append(run_cases(cases, messages, broker, now))
    finally:
        for broker in (left, right):
            broker.stop()
            getattr(broker, "remove", lambda: None)()
    if options.show:
        print(json.dumps(answers[0], indent=1))
    count = report(broken_off(answers) + list(differences(*answers)), options)
    steps = sum(map(len, answers[0].values()))
    print(f"{len(cases)} cases, {steps} answers, {time.monotonic() - began:.0f} s:",
          f"{count} differences without an explanation" if count else "no unexplained difference")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
