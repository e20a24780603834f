#!/usr/bin/env python3
"""Fails on a document that speaks of what is not there. Run as a test.

In every *.md: relative links lead to a file or folder of the repository; paths in `backticks` that
begin with one of its folders exist; `leat <subcommand>` is one of core/app. In docs/lessons.md:
every `Suite.Name` is a test, in the file that its line links to. In docs/choosing.md: there is a test for
every `Suite.Begin*`. And every module (a folder with a
CMakeLists.txt below core/ or plugins/) is named in README.md or docs/life_of_a_produce.md.

usage: check_docs.py [ROOT]
"""
import pathlib
import re
import sys

FOLDERS = ("cmake", "config", "core", "docs", "examples", "plugins", "scripts", "sdk", "tests", "tools")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:%s)/[A-Za-z0-9_./-]*)`" % "|".join(FOLDERS))
COMMAND = re.compile(r"(?:`|build/\w+/)leat ([a-z]\w*)")
SUBCOMMAND = re.compile(r'\b(?:command|group)\(\s*"(\w+)"')
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P)\((\w+), (\w+)\)", re.MULTILINE)
TEST_FILTER = re.compile(r"`([A-Z]\w+)\.(\w*)\*`")
TEST_NAME = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)`")


def documents(root):
    for path in sorted(root.rglob("*.md")):
        parts = path.relative_to(root).parts
        if parts[0] != "build" and not any(part.startswith(".") for part in parts):
            yield path


def wrong_lessons(document, number, line):
    names = TEST_NAME.findall(line)
    files = [document.parent / link for link in LINK.findall(line) if link.endswith(".cc")]
    known = {test for file in files if file.is_file() for test in TEST.findall(file.read_text())}
    for suite, name in names:
        if (suite, name) not in known:
            yield f"{number}: no test {suite}.{name} in the file that this line links to"


def tests_of(root):
    for folder in ("tests", "sdk"):
        for path in (root / folder).rglob("*.[ch]*"):
            yield from TEST.findall(path.read_text())


def wrong_filters(number, line, known):
    for suite, begin in TEST_FILTER.findall(line):
        if not any(test[0] == suite and test[1].startswith(begin) for test in known):
            yield f"{number}: no test is called {suite}.{begin}*"


def wrong_lines(root, document, subcommands):
    known = set(tests_of(root)) if document.name == "choosing.md" else set()
    for number, line in enumerate(document.read_text().splitlines(), 1):
        for link in LINK.findall(line):
            target = link.split("#")[0]
            if ":" in target or not target:
                continue
            if not (document.parent / target).exists():
                yield f"{number}: the link {link} leads nowhere"
        for path in PATH.findall(line):
            if not (root / path).exists():
                yield f"{number}: there is no {path}"
        for command in COMMAND.findall(line):
            if command not in subcommands:
                yield f"{number}: `leat {command}` is not a command"
        if document.name == "lessons.md":
            yield from wrong_lessons(document, number, line)
        if document.name == "choosing.md":
            yield from wrong_filters(number, line, known)


def modules_without_a_word(root):
    text = "".join((root / name).read_text() for name in ("README.md", "docs/life_of_a_produce.md"))
    for top in ("core", "plugins"):
        for file in sorted((root / top).rglob("CMakeLists.txt")):
            module = file.parent.relative_to(root / top).as_posix()
            if module != "." and f"{top}/{module}" not in text and f"`{module}`" not in text:
                yield f"README.md: the module {top}/{module} is named nowhere"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    subcommands = {name for source in (root / "core/app").rglob("*.cc")
                   for name in SUBCOMMAND.findall(source.read_text())}
    wrong = [] if subcommands else ["core/app: no subcommand was found in it"]
    for document in documents(root):
        name = document.relative_to(root).as_posix()
        wrong += [f"{name}:{line}" for line in wrong_lines(root, document, subcommands)]
    wrong += modules_without_a_word(root)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
