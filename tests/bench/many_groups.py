"""1,000 consumer groups of two members: how long until all are stable, and until all are heard again
by a broker that was ended and started, its start included."""
import json
import signal
import subprocess

COUNT, SIZE = 1000, 2
# Kafka that was killed does not start before its old session is over, which systems.py makes long.
ENDS = {"leat": {"clean": signal.SIGTERM, "kill -9": signal.SIGKILL}, "kafka": {"clean": signal.SIGTERM}}


def many_groups(root, system):
    """By rows.GROUPS; nothing of what failed."""
    command = [str(root / "build/release/tests/bench/groups"), "--broker", system.address,
               "--groups", str(COUNT), "--members", str(SIZE)]
    members = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    found, told = {}, []

    def hear(what):
        line = members.stdout.readline()
        if line:
            said = json.loads(line)
            found[what] = said["seconds"]
            told.append(f"{what} {said['seconds']:.2f} s ({said['joins']:,} joins)")

    hear("stable")
    for how, number in ENDS[system.name].items():
        system.end(number)
        if members.poll() is not None:
            break
        members.stdin.write("again\n")
        members.stdin.flush()
        system.start()
        hear(f"stable again, {how}")
    members.stdin.close()
    members.wait(timeout=60)
    print(f"  {system.name:6} {', '.join(told)}", flush=True)
    return found
