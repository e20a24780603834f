#!/usr/bin/env python3
"""Compiles each header of the SDK alone, as an author's first line may be. Without a LAUNCHER (ccache)
it prints the processor time of the slowest: printed, not asserted, for it says as much about the machine.
Parts of the storage kit are left out: each is included by, and includes, the kit's own header.

usage: headers_alone.py COMPILER INCLUDE_FOLDER [LAUNCHER]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O0", "-c", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]


PART = "storage_conformance_"


def compile_alone(command, folder, header, place):
    """The complaint, if any, and the processor time that it took in seconds."""
    source = pathlib.Path(place) / (header.name.replace(".h", f"-{header.parent.name}.cc"))
    source.write_text(f'#include "{header.relative_to(folder)}"\n')
    done = subprocess.Popen([*command, *FLAGS, "-I", folder, source, "-o", source.with_suffix(".o")],
                            text=True, stderr=subprocess.PIPE)
    complaint = done.stderr.read()
    done.stderr.close()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    return (complaint if done.returncode else ""), usage.ru_utime + usage.ru_stime


def main():
    compiler, folder, launcher = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    headers = [each for each in sorted(folder.rglob("*.h")) if not each.name.startswith(PART)]
    if len(headers) < 20:
        sys.exit(f"only {len(headers)} headers below {folder}")
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(
            lambda header: compile_alone([*launcher, compiler], folder, header, place), headers))
    wrong = 0
    for header, (complaint, _) in zip(headers, results):
        if complaint:
            wrong += 1
            print(f"{header} does not compile alone:\n{complaint}")
    print(f"{len(headers)} headers, {wrong} of which do not compile alone")
    for part in [] if launcher else ["leat/sdk", "leat/sdk/testing"]:
        seconds, name = max((seconds, header.name) for header, (_, seconds) in zip(headers, results)
                            if header.parent == folder / part)
        print(f"{part}: the slowest is {name}, {seconds:.2f} s of processor time")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
