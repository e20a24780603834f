#!/usr/bin/env python3
"""Kafka's own verifier over the segment files that Leat wrote: DumpLogSegments with --deep-iteration,
--index-sanity-check and --verify-index-only, after a clean stop and after a kill. Exit 1 on any fault.

    verify.py --leat build/dev/leat --jars FOLDER --rdkafka-client PROGRAM
    verify.py --data FOLDER --jars FOLDER      only looks at partition folders that are there
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time

from broker import Leat
from clients import Program
from records import record_set

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
FAULT = re.compile(r"isvalid: false|mismatch|corrupt|non-?consecutive|out of order|exception|error"
                   r"|invalid|fail", re.I)
# It takes the first record of every segment but the oldest for a gap: its last offset begins at -1.
FIRST_RECORD = re.compile(r"Non-consecutive offsets in \S+\n\s+-1 is followed by \d+\n(?!\s)")
NO_FAULT = re.compile(r"passed sanity check|isvalid: true|errorCode: 0")


class Verifier:
    def __init__(self, jars):
        self.base = ["java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", f"{jars}/*",
                     "org.apache.kafka.tools.DumpLogSegments"]

    def run(self, files, *options):
        done = subprocess.run([*self.base, *options, "--files", ",".join(map(str, files))],
                              capture_output=True, text=True, errors="replace", check=False)
        output = FIRST_RECORD.sub("", done.stdout + done.stderr)
        faults = [line for line in output.splitlines()
                  if FAULT.search(line) and not NO_FAULT.search(line)]
        if done.returncode:
            faults.append(f"DumpLogSegments ended with {done.returncode}")
        return output, faults

    def folder(self, folder, records=None):
        """All checks over one or more partition folders. Returns the faults."""
        logs = sorted(folder.rglob("*.log"))
        indexes = sorted([*folder.rglob("*.index"), *folder.rglob("*.timeindex")])
        others = sorted([*folder.rglob("*.snapshot"), *folder.rglob("*.txnindex")])
        faults = [] if logs else [f"no segment in {folder}"]
        output, found = self.run(logs, "--deep-iteration")
        faults += found
        dumped = len(re.findall(r"^\|? *offset: ", output, re.M))
        if records is not None and dumped != records:
            faults.append(f"{dumped} records dumped, {records} written")
        for option in ("--index-sanity-check", "--verify-index-only") if indexes else ():
            faults += self.run(indexes, option)[1]
        if others:
            faults += self.run(others)[1]
        print(f"{folder.name}: {len(logs)} segments, {dumped} records, {len(indexes)} indexes,",
              f"{len(others)} other files, {len(faults)} faults")
        return faults


def write(client, topic, rounds):
    """Several segments of every codec. Returns how many records."""
    count = 0
    for each in range(rounds):
        for codec in CODECS:
            records = record_set(f"verify {each} {codec}", int(time.time() * 1000) - 3_600_000, True)
            client.produce(topic, 0, codec, "all", records)
            count += len(records)
    return count


def leat_files(options, verifier):
    binary = pathlib.Path(options.leat).resolve()
    leat = Leat(binary, options.plugins or binary.parent / "plugins")
    try:
        leat.start()
        client = Program("rdkafka", [options.rdkafka_client], leat.bootstrap)
        client.create("verified", 1, "segment.bytes=1048576")
        count = write(client, "verified", 6)
        leat.stop()
        faults = verifier.folder(leat.data / "verified-0", count)
        leat.start()
        count += write(client, "verified", 2)
        leat.kill()
        leat.start()
        leat.stop()
        faults += verifier.folder(leat.data / "verified-0", count)
        client.close()
    finally:
        leat.stop()
        leat.remove()
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat")
    parser.add_argument("--plugins")
    parser.add_argument("--rdkafka-client")
    parser.add_argument("--jars", required=True)
    parser.add_argument("--data", type=pathlib.Path, help="a folder with partitions' files")
    options = parser.parse_args()
    verifier = Verifier(options.jars)
    faults = (verifier.folder(options.data) if options.data else leat_files(options, verifier))
    for fault in faults[:50]:
        print("FAULT", fault[:300])
    print(f"{len(faults)} faults" if faults else "Kafka's verifier finds no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
