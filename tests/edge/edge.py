#!/usr/bin/env python3
"""The small program of the preset `edge`: its figures, printed and held against their bounds, and what
it keeps when it is killed and when the disk is full (for which root mounts a small one). The time of
the first answer is printed only: a busy machine makes it longer. A program for another processor runs
under an emulator, which has its own memory and time: of its figures only the size is held against a
bound.

usage: edge.py [--emulator PROGRAM] LEAT [CONFIG]
"""
import argparse
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

MOST_BYTES = 5 * 1024 * 1024 // 2
MOST_RESIDENT_KIB = 4 * 1024
MOST_WAKE_UPS = 2  # A second, of all threads together.
IDLE_SECONDS = 10
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
# A broker opens batches only for topics that ask for it, and writes them anew only for these.
OPENED_TOPICS = """
[topics."opened-*"]
validation = "full"

[topics."compacted-*".config]
"cleanup.policy" = "compact"
"min.cleanable.dirty.ratio" = 0
"segment.ms" = 1
"""
API_VERSIONS = struct.pack(">hhih4s", 18, 0, 1, 4, b"edge")
DEADLINE = 30


class Broker:
    """LEAT is a list of words: the program, behind its emulator if it has one."""

    def __init__(self, leat, config):
        self.begun = time.monotonic()
        self.process = subprocess.Popen([*leat, "serve", config], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = None
        for line in self.process.stdout:
            if found := re.match(r"listening on (\S+):(\d+)", line):
                self.address = found[1], int(found[2])
            if line == "ready\n":
                break
        if self.address is None:
            sys.exit(f"the broker did not start: {' '.join(leat)} serve {config}")

    def answer(self):
        """Seconds from its start to its answer to ApiVersions."""
        with socket.create_connection(self.address, DEADLINE) as client:
            client.sendall(struct.pack(">i", len(API_VERSIONS)) + API_VERSIONS)
            head = client.recv(10, socket.MSG_WAITALL)
        if struct.unpack(">ih", head[4:]) != (1, 0):
            sys.exit(f"ApiVersions was answered with {head.hex()}")
        return time.monotonic() - self.begun

    def resident_kib(self):
        return self.figures("status", r"VmRSS:\s+(\d+)")

    def wake_ups(self):
        return self.figures("task/*/status", r"\nvoluntary_ctxt_switches:\s+(\d+)")

    def figures(self, files, pattern):
        found = pathlib.Path(f"/proc/{self.process.pid}").glob(files)
        return sum(int(re.search(pattern, file.read_text())[1]) for file in found)

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)


def kcat_ended(broker, *arguments, text=None):
    address = "%s:%d" % broker.address
    return subprocess.run(["kcat", "-b", address, *arguments], input=text, capture_output=True,
                          text=True, timeout=DEADLINE)


def kcat(broker, *arguments, text=None):
    done = kcat_ended(broker, *arguments, text=text)
    if done.returncode != 0:
        sys.exit(f"kcat {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def check(what, value, most):
    print(f"{what}: {value:,} (at most {most:,})")
    if value > most:
        sys.exit(f"{what} is above its bound")


def is_static(program):
    told = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True)
    return "INTERP" not in told.stdout and "DYNAMIC" not in told.stdout


def weigh(program):
    check("bytes of the program", os.path.getsize(program), MOST_BYTES)
    if not is_static(program):
        sys.exit("the program needs libraries")


def idle(leat, config):
    broker = Broker(leat, config)
    print(f"first answer: {broker.answer() * 1000:.1f} ms after the start")
    check("resident KiB when idle", broker.resident_kib(), MOST_RESIDENT_KIB)
    before = broker.wake_ups()
    time.sleep(IDLE_SECONDS)
    check(f"wake-ups in {IDLE_SECONDS} s", broker.wake_ups() - before,
          MOST_WAKE_UPS * IDLE_SECONDS)
    if broker.end(signal.SIGTERM) != 0:
        sys.exit("SIGTERM did not end the broker in order")


def left_out(leat, config):
    """What this build does not have is said, not silently ignored."""
    wanting = config.with_name("wanting.toml")
    wanting.write_text(config.read_text() + '\n[http]\nlisten = "127.0.0.1:0"\n')
    told = subprocess.run([*leat, "serve", wanting], capture_output=True, text=True, timeout=DEADLINE)
    if told.returncode != 1 or "[http] is not in this build" not in told.stderr:
        sys.exit(f"[http], which is left out, ended with {told.returncode}: {told.stderr}")
    print("[http]: refused by name")


def round_trips(leat, config):
    """What kcat writes, kcat reads; the broker opens each batch in between."""
    lines = "".join(f"record {i}\n" for i in range(100))
    broker = Broker(leat, config)
    for topic, codec in [("memory", "none"), *(("opened", codec) for codec in CODECS)]:
        topic = f"{topic}-{codec}"
        kcat(broker, "-P", "-t", topic, "-X", "acks=all", "-z", codec, text=lines)
        if held(broker, topic) != lines:
            sys.exit(f"{topic} does not hold what was written to it")
    if broker.end(signal.SIGTERM) != 0:
        sys.exit("SIGTERM did not end the broker in order")
    print(f"round trips: {', '.join(CODECS)}")


def compaction(leat, config):
    """A batch of each codec loses a record, and what stays of it can be read."""
    hasty = config.with_name("hasty.toml")
    hasty.write_text(config.read_text().replace("[compaction]",
                                                '[compaction]\ncheck_interval = "50ms"'))
    old = "old" * 100  # So that kcat compresses it.
    broker = Broker(leat, hasty)
    for codec in CODECS:
        topic = f"compacted-{codec}"
        for text in [f"a:{old}\nb:{old}\n", "a:new\n", "c:last\n"]:
            kcat(broker, "-P", "-t", topic, "-K:", "-z", codec, text=text)
        deadline = time.monotonic() + DEADLINE
        while (found := held(broker, topic)) != f"{old}\nnew\nlast\n":
            if time.monotonic() > deadline:
                sys.exit(f"{topic} was not compacted: {found}")
            time.sleep(0.1)
    broker.end(signal.SIGTERM)
    print(f"compaction: {', '.join(CODECS)}")


def killed(leat, config):
    """What was acknowledged is there after kill -9, and more can be written behind it."""
    lines = "".join(f"record {i}\n" for i in range(1000))
    broker = Broker(leat, config)
    kcat(broker, "-P", "-t", "kept", "-X", "acks=all", "-z", "lz4", text=lines)
    broker.end(signal.SIGKILL)
    broker = Broker(leat, config)
    kcat(broker, "-P", "-t", "kept", text="one more\n")
    if held(broker, "kept") != lines + "one more\n":
        sys.exit("after kill -9 the topic does not hold what was acknowledged")
    broker.end(signal.SIGTERM)
    print("after kill -9: every acknowledged record is there")


def held(broker, topic):
    return kcat(broker, "-C", "-e", "-q", "-t", topic, "-o", "beginning")


def fill(folder):
    """Takes all that is free there."""
    filler = pathlib.Path(folder, "filler")
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return filler


def full_disk(leat, config, disk):
    """A full disk refuses records, keeps and serves what was acknowledged, and takes more once there
    is room again; a restart on it changes nothing."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], check=True)
    try:
        file = pathlib.Path(config)
        file.write_text(file.read_text().replace('"data"', f'"{disk}/data"'))
        broker = Broker(leat, config)
        kcat(broker, "-P", "-t", "full", text="before\n")
        filler = fill(disk)
        refused = kcat_ended(broker, "-P", "-t", "full", "-X", "message.timeout.ms=2000",
                             text="x" * 100_000 + "\n")
        if refused.returncode == 0:
            sys.exit("a full disk took a record")
        if held(broker, "full") != "before\n":
            sys.exit("a full disk hides what was acknowledged")
        filler.unlink()
        kcat(broker, "-P", "-t", "full", text="after\n")
        broker.end(signal.SIGKILL)
        broker = Broker(leat, config)
        if held(broker, "full") != "before\nafter\n":
            sys.exit("after a full disk and kill -9 the topic is not what was acknowledged")
        broker.end(signal.SIGTERM)
    finally:
        subprocess.run(["umount", disk], check=True)
    print("full disk: refused, served what was there, took more when there was room")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emulator", help="runs the program, when this machine cannot")
    parser.add_argument("leat")
    parser.add_argument("config", nargs="?", default="config/edge.toml", type=pathlib.Path)
    return parser.parse_args()


def main():
    asked = arguments()
    leat = [asked.emulator, asked.leat] if asked.emulator else [asked.leat]
    weigh(asked.leat)
    with tempfile.TemporaryDirectory(prefix="leat-edge-") as folder:
        file = pathlib.Path(folder, "edge.toml")
        text = asked.config.read_text() + OPENED_TOPICS
        file.write_text(text.replace('"../data"', '"data"').replace(":9092", ":0"))
        subprocess.run([*leat, "check", file], check=True)
        if not asked.emulator:
            idle(leat, file)
        left_out(leat, file)
        round_trips(leat, file)
        compaction(leat, file)
        killed(leat, file)
        if os.geteuid() == 0:
            disk = pathlib.Path(folder, "disk")
            disk.mkdir()
            full_disk(leat, file, disk)
        else:
            print("full disk: not tried, for only root mounts a small one")


if __name__ == "__main__":
    main()
