#!/usr/bin/env python3
"""Fails on a file over 400 lines, a line over 100 columns, a function over 60 lines, or a drawer such as
utils/. Run as a test.

A function is measured from the line that opens its outermost brace (namespaces, classes, tables
and `extern "C"` aside) to the line that closes it.

usage: check_shape.py [ROOT]
"""
import pathlib
import re
import sys

FILE_LINES, LINE_COLUMNS, FUNCTION_LINES = 400, 100, 60
DRAWERS = {"util", "utils", "common", "helper", "helpers", "misc", "base", "manager"}
CONTAINER = re.compile(r'^\s*(inline\s+)?(namespace\b|(template\s*<.*>\s*)?(class|struct|union|enum)\b|extern "C"\s*\{)')
STRIP = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*')


def functions(lines):
    """Yields (first line, length) of every brace block that is not a container."""
    stack, pending, directive = [], "", False
    for number, raw in enumerate(lines, 1):
        preprocessor = directive or raw.startswith("#")
        directive = preprocessor and raw.endswith("\\")
        if preprocessor:
            continue
        line = STRIP.sub(lambda found: "" if found[0].startswith("//") else '""', raw)
        for char in line:
            if char == "{":
                heading = pending.strip() or line
                table = heading.endswith(("=", "("))
                container = table or bool(CONTAINER.match(heading))
                stack.append((number, container))
                pending = ""
            elif char == "}":
                if stack:
                    first, container = stack.pop()
                    if not container and all(c for _, c in stack):
                        yield first, number - first + 1
                pending = ""
            elif char == ";":
                pending = ""
            else:
                pending += char
        pending += " "


def complaints(root: pathlib.Path):
    tops = ("core", "sdk", "plugins", "tests", "examples", "tools")
    for path in sorted(p for t in tops for p in (root / t).rglob("*")):
        if path.stem in DRAWERS:
            yield f"{path}: error: name it after what it holds"
        if path.suffix not in (".h", ".cc", ".py"):
            continue
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LINES:
            yield f"{path}: error: {len(lines)} lines, at most {FILE_LINES}"
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_COLUMNS and path.suffix != ".py":
                yield f"{path}:{number}: error: {len(line)} columns, at most {LINE_COLUMNS}"
        if path.suffix in (".h", ".cc"):
            for first, length in functions(lines):
                if length > FUNCTION_LINES:
                    yield f"{path}:{first}: error: {length} lines, at most {FUNCTION_LINES}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(complaints(root))
    print("\n".join(found) if found else "shape: every file, line and function within its limit")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
