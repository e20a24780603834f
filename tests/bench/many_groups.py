"""1,000 consumer groups of two members: how long until all are stable, and until all are heard again
by a broker that was killed and started, its start included."""
import json
import signal
import subprocess

COUNT, SIZE = 1000, 2


def many_groups(root, system):
    """By rows.GROUPS; None if a member was left behind."""
    command = [str(root / "build/release/tests/bench/groups"), "--broker", system.address,
               "--groups", str(COUNT), "--members", str(SIZE)]
    members = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if not members.stdout.readline().startswith("formed"):
        members.wait()
        return None
    system.end(signal.SIGKILL)
    members.stdin.write("again\n")
    members.stdin.flush()
    system.start()
    said, _ = members.communicate(timeout=300)
    if members.returncode != 0:
        return None
    found = json.loads(said.strip().splitlines()[-1])
    print(f"  {system.name:6} stable after {found['formed_s']:.2f} s ({found['joins_a_member']:.2f}"
          f" joins a member), after kill -9 {found['again_s']:.2f} s ({found['rejoins']} rejoined)",
          flush=True)
    return {"stable": found["formed_s"], "stable after kill -9": found["again_s"]}
