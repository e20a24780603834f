#!/usr/bin/env python3
"""Records one session of each client with Leat on the loopback interface, and has it decoded twice by
others than Leat: tshark must find no malformed packet in the versions that it knows, and Kafka's own
definitions must account for every byte of every answer in all versions. Exit 1 on any fault.

    decode.py --leat build/dev/leat --jar kafka-clients-4.4.0.jar --rdkafka-client ... [--program ...]

Takes the clients' options of matrix.py. Capturing needs root.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

import broker as brokers
from kafka_messages import Malformed, Messages
from matrix import add_client_arguments, client_makers
from records import record_set

PATIENCE_S = 30
AT_ONCE = 3  # Sessions; each waits more than it works.
END_OF_SESSION = b"end of this session"

# Protocol data units that tshark 4.0 itself does not decode, and why; it says the same of Apache Kafka's.
NOT_LEATS = {"DeleteTopics v1 Response": "it does not know ThrottleTimeMs"}


class Capture:
    """Everything to and from one port, for as long as a `with` lasts."""

    def __init__(self, port, path):
        self.port, self.path = port, path

    def __enter__(self):
        self.process = subprocess.Popen(
            ["dumpcap", "-q", "-i", "lo", "-B", "32", "-f", f"tcp port {self.port}", "-w", self.path],
            stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if line.startswith("File:"):
                return self
        raise RuntimeError("dumpcap cannot capture: " + "".join(said)[-300:])

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.process.stderr.close()

    def wait_for_all(self):
        """Until the answer to a last request, which only this method sends, is in the file."""
        frame = struct.pack(">hhih", 18, 0, 0, len(END_OF_SESSION)) + END_OF_SESSION
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as last:
            last.sendall(struct.pack(">i", len(frame)) + frame)
            last.recv(65_536)
        deadline = time.monotonic() + PATIENCE_S
        while END_OF_SESSION not in pathlib.Path(self.path).read_bytes():
            if time.monotonic() > deadline:
                raise RuntimeError("the end of the session was not captured")
            time.sleep(0.05)  # dumpcap writes at intervals of its own; bounded above.


def session(client, now):
    """A bit of everything that the client can do."""
    if "admin" not in client.cannot:
        client.create("administered", 2)
        client.delete("administered")
    for codec in client.codecs:
        records = client.select(record_set(codec, now - 3_600_000, large=False))
        if "admin" not in client.cannot:
            client.create(f"as-{codec}", 1)
        client.produce(f"as-{codec}", 0, codec, "all", records)
        if "reads the others" not in client.cannot:
            client.consume(f"as-{codec}", 0, 0, len(records))
    if "seek time" not in client.cannot:
        client.time("as-none", 0, now - 3_600_000)
    client.too_large("as-none", 0, 1_500_000)


def tshark(path, port, *options):
    return subprocess.run(["tshark", "-n", "-r", path, "-d", f"tcp.port=={port},kafka", *options],
                          capture_output=True, check=True, text=True).stdout


def complaints(text):
    """Pairs of a protocol data unit's title and what tshark says is malformed in it; and how many units
    it decoded, how many it knows no version of."""
    found, counts, unit, known = [], collections.Counter(), "", False
    for line in text.splitlines():
        if title := re.match(r"Kafka(?: \((.*)\))?$", line):
            unit = title[1] or "Unknown"
            known = not unit.startswith("Unknown")
            counts["known" if known else "unknown"] += 1
        elif re.search(r"Info \(\w+/\w+\): Unsupported (\w+) version", line):
            # An ApiVersions response is also told so of each version that it lists.
            listed = unit.startswith("ApiVersions") and "Unsupported ApiVersions" not in line
            if known and not listed:
                known = False
                counts.update(known=-1, unknown=1)
        elif "Malformed" in line and known and "[Group:" not in line:
            found.append((unit, line.strip(" []")))
    return found, counts


def streams(path, port):
    """(stream, whether it is the broker's side) -> its bytes."""
    parts = collections.defaultdict(dict)
    rows = tshark(path, port, "-Y", "tcp.len > 0", "-T", "fields", "-e", "tcp.stream",
                  "-e", "tcp.srcport", "-e", "tcp.seq", "-e", "tcp.payload")
    for row in rows.splitlines():
        stream, source, sequence, data = row.split("\t")
        parts[stream, int(source) == port][int(sequence)] = bytes.fromhex(data)
    whole = collections.defaultdict(bytes)
    for side, pieces in parts.items():
        for sequence, data in sorted(pieces.items()):
            missing = sequence - 1 - len(whole[side])
            if missing > 0:
                raise RuntimeError(f"{missing} bytes were not captured")
            whole[side] += data[-missing:] if missing else data
    return whole


def frames(data):
    while len(data) >= 4:
        size = 4 + struct.unpack_from(">i", data)[0]
        if len(data) < size:
            return  # The client went away.
        yield data[4:size]
        data = data[size:]


def check_answers(whole, messages):
    """How many answers Kafka's definitions decode to their last byte."""
    names = {definition.spec["apiKey"]: name for name, definition in messages.requests.items()}
    decoded = collections.Counter()
    for stream in {stream for stream, _ in whole}:
        asked = {}
        for frame in frames(whole[stream, False]):
            api, version, correlation = struct.unpack_from(">hhi", frame)
            asked[correlation] = names[api], version
        for frame in frames(whole[stream, True]):
            correlation, = struct.unpack_from(">i", frame)
            if correlation not in asked:
                raise Malformed(f"an answer to nothing: {correlation}")
            name, version = asked[correlation]
            try:
                messages.response(name, version, frame)
            except (Malformed, ValueError, IndexError, struct.error) as problem:
                raise Malformed(f"{name} v{version} response: {problem}") from None
            decoded[f"{name} v{version}"] += 1
    return decoded


def check(ident, make, options, messages):
    """The row of one client: name, what was decoded, and what is wrong."""
    leat = brokers.Leat(options.leat.resolve(), options.plugins or
                        options.leat.resolve().parent / "plugins")
    client = None
    with tempfile.TemporaryDirectory(prefix="leat-decode-") as folder:
        path = pathlib.Path(options.keep or folder, f"{ident}.pcapng")
        try:
            leat.start()
            port = int(leat.bootstrap.rsplit(":", 1)[1])
            with Capture(port, path) as capture:
                client = make(leat.bootstrap)
                session(client, int(time.time() * 1000))
                client.close()
                capture.wait_for_all()
        finally:
            if client:
                client.close()
            leat.stop()
            leat.remove()
        found, counts = complaints(tshark(path, port, "-O", "kafka"))
        decoded = check_answers(streams(path, port), messages)
    faults = [f"{unit}: {complaint}" for unit, complaint in found if unit not in NOT_LEATS]
    return client.name, counts, len(found) - len(faults), decoded, faults


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", type=pathlib.Path, required=True)
    parser.add_argument("--plugins", help="its plugin folder (default: plugins beside the binary)")
    parser.add_argument("--jar", required=True, help="kafka-clients, for Kafka's definitions")
    parser.add_argument("--keep", help="a folder for the recorded sessions")
    add_client_arguments(parser)
    return parser.parse_args()


def main():
    options = parse_arguments()
    began, failed = time.monotonic(), 0
    messages, makers = Messages(options.jar), client_makers(options)

    def one(item):
        try:
            return check(*item, options, messages)
        except Exception as problem:  # Whatever goes wrong in a session is that client's fault here.
            return item[0], collections.Counter(), 0, {}, [f"{type(problem).__name__}: {problem}"]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, counts, excused, decoded, faults in pool.map(one, makers.items()):
            print(f"{name:42} tshark: {counts['known']} decoded, {counts['unknown']} of versions it does"
                  f" not know, {excused} its own; answers by Kafka's definitions:"
                  f" {sum(decoded.values())} of {len(decoded)} kinds")
            for fault, times in collections.Counter(faults).items():
                print(f"    FAILED {times} times: {fault}")
            failed += bool(faults)
    print(f"{len(makers)} clients, {time.monotonic() - began:.0f} s:",
          f"{failed} clients' sessions have faults" if failed else "nothing is malformed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
