"""What others notice of a crowd that means no good: how long their records take from produce to
fetch, a thousand a second, without a crowd and beside one. Told as a ratio to the quiet before."""
import json
import resource
import subprocess

from machine import wait_until_quiet
from systems import LEAT_CONFIG, Leat

RECORDS_S = 1000
CROWDS = [  # Name, arguments of tests/bench/crowd.
    ("10,000 idle connections", "--kind idle --many 10000"),
    ("1,000 slow senders, 200 readers that never read", "--kind slow --many 1200"),
    ("5,000 connections a second that reset", "--kind storm --many 5000"),
]
LIMITS = """[limits]
connections = 11000
connections_per_address = 11000
"""


class LeatForCrowds(Leat):
    """As many connections as the crowds want; else as in the other rows."""
    name = "crowds"

    def prepare(self):
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "bench.toml").write_text(
            LEAT_CONFIG.format(data=self.home / "data", port=self.port) + LIMITS)


class Crowd:
    """There while the block runs; what it says at the end is in `said`."""

    def __init__(self, root, system, arguments):
        self.command = [str(root / "build/release/tests/bench/crowd"), "--broker", system.address,
                        *arguments.split()]
        self.said = {}

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "there\n":
            self.process.wait()
            raise RuntimeError("the crowd did not come")
        return self

    def __exit__(self, *_):
        self.said = json.loads(self.process.communicate(timeout=60)[0] or "{}")


def latency(root, system, seconds):
    """None if records were lost or late by ten seconds."""
    command = [str(root / "build/release/tests/bench/latency"), "--broker", system.address, "--pid",
               str(system.pid), "--rate", str(RECORDS_S), "--seconds", str(seconds), "--warm-up", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        print(f"    {done.stderr.strip() or 'failed'}", flush=True)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def told(result):
    if result is None:
        return "no result"
    return " ".join(f"{name} {result[name + '_us'] / 1000:.2f}" for name in ("p50", "p99", "max")) + " ms"


def beside_crowds(root, folder, seconds):
    """By crowd: what was measured before it and beside it, and what it says itself."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # The broker's too.
    print(f"\nhostile: from produce to fetch, {RECORDS_S:,} records/s of others", flush=True)
    system = LeatForCrowds(root, folder)
    system.start()
    found = {}
    try:
        for name, arguments in CROWDS:
            undisturbed = wait_until_quiet()
            quiet = latency(root, system, seconds)
            print(f"  quiet: {told(quiet)}" + ("" if undisturbed else " (the machine was busy)"),
                  flush=True)
            try:
                with Crowd(root, system, arguments) as crowd:
                    beside = latency(root, system, seconds)
            except RuntimeError as problem:
                print(f"  {name}: {problem}", flush=True)
                continue
            found[name] = {"quiet": quiet, "beside": beside, "crowd": crowd.said}
            ratio = ""
            if quiet and beside:
                ratio = f"; p99 {beside['p99_us'] / quiet['p99_us']:.2f} times quiet"
            print(f"  {name}: {told(beside)}{ratio}; {said(crowd.said)}", flush=True)
    finally:
        system.end()
    return found


def said(crowd):
    if crowd.get("kind") == "storm":
        return f"{crowd['resets_s']:.0f} resets/s"
    return f"{crowd.get('left', 0):,} of {crowd.get('connections', 0):,} still connected at the end"
