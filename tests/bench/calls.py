"""System calls per request, counted by strace: exact where times are not. What a request costs a
broker on a quiet connection is two of them, one read and one send."""
import json
import re
import shutil
import signal
import subprocess
import time

SCENARIOS = [  # Name, arguments of tests/bench/load.
    ("produce 1 x 100 B, 1 connection, 1 in flight", "--in-flight 1 --records 1 --value 100"),
    ("produce 1 x 100 B, 16 connections x 16 in flight",
     "--in-flight 16 --connections 16 --records 1 --value 100"),
    ("produce 1 KiB x 100, 1 connection, 5 in flight", "--in-flight 5"),
    ("durable: 1 x 1 KiB, 32 connections, 100 partitions",
     "--in-flight 1 --connections 32 --partitions 100 --records 1 --configs flush.messages=1"),
    ("ApiVersions, 1 connection, 1 in flight", "--call api_versions"),
]
COUNTED = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)


def counted(root, system, arguments):
    """By name of the call, for each request."""
    trace = subprocess.Popen(["strace", "-c", "-f", "-p", str(system.pid)], stderr=subprocess.PIPE,
                             text=True)
    time.sleep(0.5)  # Until it is attached; what is counted begins later anyway.
    command = [str(root / "build/release/tests/bench/load"), "--broker", system.address,
               "--pid", str(system.pid), "--seconds", "2", "--warm-up", "0", *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    trace.send_signal(signal.SIGINT)
    table = trace.communicate(timeout=20)[1]
    if done.returncode != 0:
        return {}
    result = json.loads(done.stdout.strip().splitlines()[-1])
    requests = result["requests_s"] * result["seconds"]
    return {name: int(calls) / requests for calls, name in COUNTED.findall(table)
            if name != "total" and int(calls) / requests >= 0.01}


def count_calls(root, system):
    if shutil.which("strace") is None:
        print("\nsystem calls: strace is not installed")
        return {}
    print(f"\nsystem calls of {system.name} for each request")
    system.resume()
    everything = {}
    for name, arguments in SCENARIOS:
        found = counted(root, system, arguments)
        everything[name] = found
        told = ", ".join(f"{call} {number:.2f}" for call, number in
                         sorted(found.items(), key=lambda item: -item[1]))
        print(f"  {name}: {sum(found.values()):.2f} ({told})", flush=True)
    return everything
