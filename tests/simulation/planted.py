#!/usr/bin/env python3
"""Shows that the simulation would notice: plants each fault of planted/ in a copy of the tree and
expects a seed that breaks a promise, and none without a fault.

usage: planted.py ROOT [--seeds N] [--keep FOLDER]

One copy is built once; each fault then costs the files that it touches and one link.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LEFT_OUT = shutil.ignore_patterns("build", ".git")


def build(tree: pathlib.Path):
    made = subprocess.run(["ninja", "-C", tree / "build/dev", "simulation_test"],
                          capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"does not build:\n{made.stdout[-4000:]}")


def configure(tree: pathlib.Path):
    # The compiler's cache then takes this copy for the tree that it was made from.
    os.environ.update(CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")
    made = subprocess.run(["cmake", "-S", tree, "-B", tree / "build/dev", "--preset", "dev"],
                          cwd=tree, capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"does not configure:\n{made.stderr[-4000:]}")


def simulate(tree: pathlib.Path, seeds: int):
    """The first complaint, or nothing. A crash is a complaint too."""
    ran = subprocess.run(
        [tree / "build/dev/tests/simulation/simulation_test", "--gtest_filter=*EverySeed"],
        env={**os.environ, "LEAT_SEEDS": str(seeds)}, capture_output=True, text=True, timeout=300)
    if ran.returncode == 0:
        return None
    lines = ran.stdout.splitlines() + ran.stderr.splitlines()
    for at, line in enumerate(lines):
        if "broken belief" in line:
            return line
        if line.startswith("see it:"):
            return f"{lines[at - 1]} ({line.split('=')[1].split()[0]})"
    return f"ended with {ran.returncode}"


def plant(tree: pathlib.Path, fault: pathlib.Path, *how: str):
    patched = subprocess.run(["patch", "-p1", "--quiet", "--no-backup-if-mismatch", *how, "-i",
                              fault], cwd=tree)
    if patched.returncode != 0:
        sys.exit(f"{fault.stem} does not apply any more: the code has changed, plant it anew")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("--seeds", type=int, default=200)
    arguments.add_argument("--keep", type=pathlib.Path)
    chosen = arguments.parse_args()
    root = chosen.root.resolve()
    faults = sorted((root / "tests/simulation/planted").glob("*.patch"))
    missed = []
    with tempfile.TemporaryDirectory() as temporary:
        tree = (chosen.keep or pathlib.Path(temporary)).resolve() / "tree"
        shutil.copytree(root, tree, ignore=LEFT_OUT, dirs_exist_ok=True)
        configure(tree)
        build(tree)
        if complaint := simulate(tree, chosen.seeds):
            sys.exit(f"complains without a fault: {complaint}")
        for fault in faults:
            begin = time.monotonic()
            plant(tree, fault)
            build(tree)
            complaint = simulate(tree, chosen.seeds)
            plant(tree, fault, "-R")
            took = time.monotonic() - begin
            print(f"{fault.stem}: {complaint or 'NOT FOUND'} [{took:.0f} s]", flush=True)
            if complaint is None:
                missed.append(fault.stem)
    if missed:
        sys.exit(f"not found: {', '.join(missed)}")
    print(f"all {len(faults)} planted faults are found")


if __name__ == "__main__":
    main()
