#!/usr/bin/env python3
"""Fails when a file includes a module that its own module may not depend on, or a third-party header
outside that library's home. Run as a test.

usage: check_layers.py [ROOT]
"""
import pathlib
import re
import sys

MACHINES = ["core/replication", "core/cluster", "core/groups", "core/transactions"]
WIRE = ["core/wire", "core/compression"]
BROKER = ["sdk", "core/logging", "core/metrics", *WIRE, "core/config", "core/host", "core/log",
          *MACHINES, "core/runtime"]
API = [*BROKER, "core/broker", "core/security"]
EVERYTHING = [*API, "core/api", "core/net", "core/admin", "core/client", "core/app", "plugins", "tests"]

# Module -> modules it may include. Every edge is a decision: a new one needs its reason in the commit.
ALLOWED = {
    "sdk": [],
    "core/logging": ["sdk"],
    "core/metrics": ["sdk"],
    "core/wire": ["sdk"],
    "core/compression": ["sdk"],
    "core/config": ["sdk"],
    # An operator's options carry their places from the file; what a plugin logs ends in the log.
    "core/host": ["sdk", "core/config", "core/logging"],
    "core/log": ["sdk", *WIRE],
    "core/replication": ["sdk", "core/wire"],
    "core/cluster": ["sdk", "core/wire"],
    "core/groups": ["sdk", "core/wire", "core/cluster"],
    "core/transactions": ["sdk", "core/wire", "core/cluster"],
    "core/runtime": ["sdk"],
    "core/broker": BROKER,
    "core/security": [*BROKER, "core/broker"],
    "core/api": API,
    "core/net": ["sdk", "core/runtime"],
    "core/admin": [*API, "core/api", "core/net"],
    "core/client": [*API, "core/api", "core/net"],
    "core/app": EVERYTHING,
    "plugins": ["sdk"],
    "examples": ["sdk"],
    "tests": EVERYTHING,
}

# Header prefix -> the modules that are its home.
HOMES = {
    "spdlog/": ["core/logging"],
    "toml++/": ["core/config"],
    "toml.hpp": ["core/config"],
    "boost/dll": ["core/host"],
    "boost/asio": ["core/net"],
    "boost/beast": ["core/admin"],
    "boost/": ["core/host", "core/net"],
    "openssl/": ["core/net", "core/security", "examples"],
    "zlib.h": ["core/compression"],
    "zstd.h": ["core/compression"],
    "lz4": ["core/compression"],
    "snappy": ["core/compression"],
    "CLI/": ["core/app"],
    "re2/": ["core/groups"],
    "librdkafka/": ["tests"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def module_of(path: str) -> str | None:
    path = path.replace("leat/sdk/", "sdk/")
    found = [m for m in ALLOWED if path.startswith(m + "/")]
    return max(found, key=len, default=None)


def home_of(header: str) -> list[str] | None:
    found = [h for h in HOMES if header.startswith(h)]
    return HOMES[max(found, key=len)] if found else None


def complaints(root: pathlib.Path):
    tops = sorted({m.split("/")[0] for m in ALLOWED})
    files = (p for t in tops for p in sorted((root / t).rglob("*")) if p.suffix in (".h", ".cc"))
    for file in files:
        own = module_of(str(file.relative_to(root)))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found or own is None:
                continue
            used = module_of(found[2]) if found[1] == '"' else None
            if used and used != own and used not in ALLOWED[own]:
                allowed = ", ".join(ALLOWED[own]) or "nothing"
                yield f"{file}:{number}: error: {own} may not include {used} (allowed: {allowed})"
            home = home_of(found[2])
            if home and own not in home and own != "tests":
                yield f"{file}:{number}: error: {found[2]} has its home in {' and '.join(home)}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(complaints(root))
    print("\n".join(found) if found else "layers: every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
