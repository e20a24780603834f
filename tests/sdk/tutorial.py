#!/usr/bin/env python3
"""Does what a README tells its reader: runs its `sh` blocks, one after the other in one shell that stops
at the first failure, in an empty folder. What a command's comment says it `# prints:` has to be printed.

usage: tutorial.py README SOURCES BUILD_FOLDER
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRINTS = re.compile(r"# prints: (.+)$", re.MULTILINE)
DEADLINE_SECONDS = 240


def main():
    readme, sources, build = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    blocks = BLOCK.findall(readme.read_text())
    script = "set -euo pipefail\n" + "\n".join(blocks)
    promised = PRINTS.findall(script)
    if len(blocks) < 3 or not promised:
        sys.exit(f"{readme} has {len(blocks)} blocks and {len(promised)} promises: too few")
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=folder, text=True, start_new_session=True,
            env={**os.environ, "LEAT": str(sources), "BUILD": str(build)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            printed, _ = process.communicate(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed = process.communicate()[0] + f"\nnot done after {DEADLINE_SECONDS} s"
        finally:
            try:  # A broker that a failure left behind.
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        missing = [each for each in promised if each.strip() not in printed]
        if process.returncode != 0 or missing:
            log = pathlib.Path(folder) / "broker.log"
            print(printed, log.read_text() if log.exists() else "", sep="\n")
            sys.exit(f"exit code {process.returncode}; promised and not printed: {missing}")
    print(f"{len(blocks)} blocks, {len(promised)} promises kept")


if __name__ == "__main__":
    main()
