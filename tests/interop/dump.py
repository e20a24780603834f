#!/usr/bin/env python3
"""`leat dump` and Kafka's DumpLogSegments over the same files, field by field: what Leat wrote, what
Apache Kafka wrote, and both with one changed byte. Exit 1 if they differ.

    dump.py --leat build/dev/leat --jars FOLDER --rdkafka-client PROGRAM
"""
import argparse
import collections
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from adopt import written_by_kafka
from broker import Leat
from clients import Program
from verify import Verifier, write

# Kafka's word -> ours.
BATCH = {"baseOffset": "base_offset", "lastOffset": "last_offset", "count": "records",
         "baseSequence": "base_sequence", "lastSequence": "last_sequence",
         "producerId": "producer_id", "producerEpoch": "producer_epoch",
         "partitionLeaderEpoch": "leader_epoch", "isTransactional": "transactional",
         "isControl": "control", "position": "position", "size": "bytes", "compresscodec": "codec",
         "crc": "crc", "isvalid": "crc_ok"}
RECORD = {"offset": "offset"}
PLACE = {"offset": "offset", "position": "log_position"}
TIME = {"timestamp": "timestamp", "offset": "offset"}
PRODUCER = {"producerId": "producer_id", "producerEpoch": "producer_epoch",
            "coordinatorEpoch": "coordinator_epoch", "lastSequence": "last_sequence",
            "lastOffset": "last_offset", "offsetDelta": "offset_delta", "timestamp": "timestamp"}
STAMP = re.compile(r"(CreateTime|LogAppendTime): (-?\d+)")
KINDS = {".log": ("batch", BATCH), ".index": ("entry", PLACE), ".timeindex": ("entry", TIME),
         ".snapshot": ("producer", PRODUCER)}


def words(line):
    return {key: value for key, value in re.findall(r"(\w+): (\S+)", line)}


def row_of_kafka(line, names):
    found = words(line)
    row = {ours: found.get(theirs) for theirs, ours in names.items()}
    stamp = STAMP.search(line)
    if stamp:
        row["timestamp_type"], row["stamp"] = stamp.groups()
    return row


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows_of_leat(items, kind, names):
    rows, stamp_type = [], None
    for item in items:
        wanted = RECORD if item["kind"] == "record" else names if item["kind"] == kind else None
        if wanted is None:
            continue
        row = {ours: text(item.get(ours)) for ours in wanted.values()}
        if item["kind"] in ("batch", "record"):
            stamp_type = item.get("timestamp_type", stamp_type)
            row["timestamp_type"] = stamp_type
            row["stamp"] = text(item["timestamp" if wanted is RECORD else "max_timestamp"])
        rows.append(row)
    return rows


class Dumps:
    def __init__(self, leat, verifier):
        self.leat, self.verifier = leat, verifier

    def kafka(self, files, *options):
        """File name -> the rows of what stands in it."""
        output, _ = self.verifier.run(files, *options)
        rows, names, name = collections.defaultdict(list), {}, None
        for line in output.splitlines():
            if line.startswith("Dumping "):
                name = pathlib.Path(line[len("Dumping "):]).name
                names = KINDS[pathlib.Path(name).suffix][1]
            elif line.startswith("| offset: "):
                rows[name].append(row_of_kafka(line, RECORD))
            elif name and words(line).keys() >= names.keys():
                rows[name].append(row_of_kafka(line, names))
        return rows

    def ours(self, files, *options):
        done = subprocess.run([self.leat, "dump", "--json", *options, *map(str, files)],
                              capture_output=True, text=True, check=False)
        told = json.loads(done.stdout)
        if done.returncode != (1 if told["damages"] else 0):
            raise RuntimeError(f"leat dump ended with {done.returncode}: {done.stderr}")
        rows = {}
        for file in told["files"]:
            path = pathlib.Path(file["path"])
            rows[path.name] = rows_of_leat(file["items"], *KINDS[path.suffix])
        return rows, told["damages"]

    def compare(self, what, folder, damaged=False):
        """The differences over one partition's folder, as sentences."""
        files = sorted(path for path in folder.iterdir() if path.suffix in KINDS)
        # Kafka opens batches whose checksum is wrong as well: their records are not compared.
        theirs = self.kafka(files, *([] if damaged else ["--print-data-log"]))
        ours, damages = self.ours(files, *([] if damaged else ["--records"]))
        faults, count = [], 0
        for path in files:
            for row, other in itertools.zip_longest(theirs[path.name], ours[path.name]):
                count += 1
                if row != other:
                    faults.append(f"{what}, {path.name}: Kafka {row}, Leat {other}")
        if count == 0 or (damages != 0) != damaged:
            faults.append(f"{what}: {count} rows, {damages} damages")
        print(f"{what}: {len(files)} files, {count} rows, {damages} damages, {len(faults)} differ")
        return faults


def written_by_leat(options, folder):
    binary = pathlib.Path(options.leat).resolve()
    leat = Leat(binary, options.plugins or binary.parent / "plugins")
    try:
        leat.start()
        client = Program("rdkafka", [options.rdkafka_client], leat.bootstrap)
        client.create("dumped", 1, "segment.bytes=1048576")
        write(client, "dumped", 2)
        client.close()
        leat.stop()
        shutil.copytree(leat.data / "dumped-0", folder)
    finally:
        leat.stop()
        leat.remove()


def change_a_byte(folder):
    """In the last record bytes of the newest segment that has some: both must call it invalid."""
    newest = max((path for path in folder.glob("*.log") if path.stat().st_size), key=lambda p: p.name)
    with newest.open("r+b") as file:
        file.seek(-3, 2)
        byte = file.read(1)
        file.seek(-3, 2)
        file.write(bytes([byte[0] ^ 0x55]))
    return newest


def differences(options, scratch):
    dumps = Dumps(str(pathlib.Path(options.leat).resolve()), Verifier(options.jars))
    faults = []
    for what, fill in (("Leat's files", written_by_leat), ("Kafka's files", written_by_kafka)):
        folder = scratch / what.split("'")[0]
        fill(options, folder)
        faults += dumps.compare(what, folder)
        newest = change_a_byte(folder)
        for path in folder.iterdir():
            if path != newest:
                path.unlink()
        faults += dumps.compare(f"{what}, a byte changed", folder, damaged=True)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", required=True)
    parser.add_argument("--plugins")
    parser.add_argument("--rdkafka-client", required=True)
    parser.add_argument("--jars", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="leat-dump-") as scratch:
        faults = differences(options, pathlib.Path(scratch))
    for fault in faults[:50]:
        print("FAULT", fault[:600])
    print(f"{len(faults)} differences" if faults else "both dumps say the same")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
