#!/usr/bin/env python3
"""Holds Leat's message declarations against Kafka's own definitions, in every version that Leat decodes:
names, types, order, nullability, defaults, tags, what is ignorable, and which versions are flexible;
and, where DECLARED is a program, the names of all APIs, and the records of `__consumer_offsets` with their
types.

usage: check_messages.py DECLARED [DEFINITIONS [OLDER]]

DECLARED     a program that prints the declarations as JSON, or a .json file
DEFINITIONS  a folder of Kafka's definitions (FetchRequest.json ...) or of its jars, or kafka-clients-<version>.jar,
             which has no definitions of records: they are left out. Without it, or when it is not there: $LEAT_KAFKA_MESSAGES (a folder), then
             $LEAT_KAFKA_CLIENTS_JAR. Exits with 77 (skipped) when there is none.
OLDER        the same of an older Kafka, for versions below DEFINITIONS' range. Without it, such
             versions are held against DEFINITIONS, but for those fields that only older ones had.

Before it looks for differences it plants some, one in every field and of every kind, and fails if one of
those is not found.

What may differ: Leat's nullable fields default to null also where Kafka's default to empty, and Leat may
decode versions below Kafka's range.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

SKIPPED = 77
MAX = 32767


def versions(text):
    if text in (None, "none"):
        return (1, 0)
    if text.endswith("+"):
        return (int(text[:-1]), MAX)
    low, _, high = text.partition("-")
    return (int(low), int(high or low))


def contains(text, version):
    low, high = versions(text)
    return low <= version <= high


def declared(source: str):
    if source.endswith(".json"):
        return json.loads(pathlib.Path(source).read_text())
    return json.loads(subprocess.run([source], check=True, capture_output=True, text=True).stdout)


def declared_records(source: str):
    if source.endswith(".json"):
        return []
    return json.loads(subprocess.run([source, "records"], check=True, capture_output=True, text=True).stdout)


def definitions(source: str):
    """Message name -> definition. The files are JSON with // comments on lines of their own."""
    def parse(text):
        return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M))

    folder = pathlib.Path(source)
    found = [parse(p.read_text()) for p in folder.glob("*.json")]
    jars = [folder] if source.endswith(".jar") else [
        *folder.glob("kafka-clients-*.jar"), *folder.glob("kafka-group-coordinator-*.jar")]
    for path in jars:
        with zipfile.ZipFile(path) as jar:
            names = [n for n in jar.namelist() if re.fullmatch(r"common/message/\w+\.json", n)]
            found += [parse(jar.read(n).decode()) for n in names]
    return {d["name"]: d for d in found}


def as_number(default):
    """Kafka writes numbers as numbers, as decimal or hexadecimal text, and booleans as text."""
    if default in (None, ""):
        return 0
    if default in ("true", "false", True, False):
        return int(default in ("true", True))
    return int(default, 0) if isinstance(default, str) else default


def kafka_fields(fields, structs):
    """Kafka's fields in the form of ours."""
    for field in fields:
        base = field["type"].removeprefix("[]")
        nested = field.get("fields") or structs.get(base)
        prefix = "[]" if field["type"].startswith("[]") else ""
        default = field.get("default")
        is_number = bool(re.fullmatch(r"u?int\d+|bool", field["type"]))
        yield {
            "name": field["name"],
            "type": prefix + ("struct" if nested else base),
            "versions": field["versions"],
            "nullable": field.get("nullableVersions", "none"),
            "default": as_number(default) if is_number else None,
            "empty_default": is_number or default in (None, "", "null"),
            "tag": field.get("tag"),
            "tagged": field.get("taggedVersions", "none"),
            "ignorable": field.get("ignorable") in (True, "true"),
            "fields": list(kafka_fields(nested, structs)) if nested else None,
        }


def our_fields(fields):
    for field in fields:
        is_number = bool(re.fullmatch(r"u?int\d+|bool", field["type"]))
        yield {
            "name": field["name"],
            "type": field["type"],
            "versions": field["versions"],
            "nullable": field.get("nullable", "none"),
            "default": as_number(field.get("default")) if is_number else None,
            "empty_default": True,
            "tag": field.get("tag"),
            "tagged": field["versions"] if "tag" in field else "none",
            "ignorable": field.get("ignorable", False),
            "fields": list(our_fields(field["fields"])) if "fields" in field else None,
        }


def flat(fields, version, since=0, path=""):
    """What is on the wire in a version, in order; not what is in no version from `since` on."""
    for field in fields:
        if not contains(field["versions"], version) or versions(field["versions"])[1] < since:
            continue
        name = f"{path}{field['name']}"
        tag = field["tag"] if contains(field["tagged"], version) else None
        yield (name, field["type"], "nullable" if contains(field["nullable"], version) else "",
               field["default"], field["empty_default"], tag, field["ignorable"])
        if field["fields"]:
            yield from flat(field["fields"], version, since, name + ".")


def in_order(fields):
    """Tagged fields are ordered by tag, wherever they are declared."""
    plain = [f for f in fields if f["tag"] is None]
    tagged = sorted((f for f in fields if f["tag"] is not None), key=lambda f: f["tag"])
    ordered = [dict(f, fields=in_order(f["fields"]) if f["fields"] else None) for f in plain + tagged]
    return ordered


def differences(ours, kafka, older):
    """`older` is None where there is no older definition."""
    if kafka is None:
        yield f"{ours['name']}: Kafka has no such message"
        return
    low, high = versions(ours["versions"])
    least, most = versions(kafka["validVersions"])
    if high > most:
        yield f"{ours['name']}: version {high} is above Kafka's {kafka['validVersions']}"
    yield from differing_versions(ours, kafka, range(max(low, least), high + 1), fields_of(kafka))
    if older:
        yield from differing_versions(ours, kafka, range(low, least),
                                      as_ignorable_as(fields_of(kafka), fields_of(older)))
    else:
        yield from differing_versions(ours, kafka, range(low, least), fields_of(kafka), least)


def fields_of(kafka):
    structs = {s["name"]: s["fields"] for s in kafka.get("commonStructs", [])}
    return in_order(list(kafka_fields(kafka["fields"], structs)))


def as_ignorable_as(newer, fields):
    """What is ignorable says how to write, not what is on the wire, and Kafka changes its mind."""
    by_name = {f["name"]: f for f in newer}
    for field in fields:
        now = by_name.get(field["name"])
        if now:
            field["ignorable"] = now["ignorable"]
            as_ignorable_as(now["fields"] or [], field["fields"] or [])
    return fields


def differing_versions(ours, kafka, within, theirs, fields_since=0):
    """Fields of ours that are in no version from `fields_since` on are left out."""
    own = in_order(list(our_fields(ours["fields"])))
    for version in within:
        where = f"{ours['name']} v{version}"
        if contains(ours["flexible"], version) != contains(kafka["flexibleVersions"], version):
            yield f"{where}: flexible {ours['flexible']}, Kafka {kafka['flexibleVersions']}"
        mine, right = list(flat(own, version, fields_since)), list(flat(theirs, version))
        for a, b in zip(mine, right):
            if a != b:
                yield f"{where}: {a}, Kafka {b}"
                break
        else:
            if len(mine) != len(right):
                extra = (mine + right)[min(len(mine), len(right))] if len(mine) > len(right) else \
                    right[len(mine)]
                yield f"{where}: {len(mine)} fields, Kafka {len(right)}; first unmatched {extra[0]}"


def every_field(fields, within):
    """Each field's list and index, and in which of the versions `within` it is on the wire."""
    for index, field in enumerate(fields):
        seen = [v for v in within if contains(field["versions"], v)]
        yield fields, index, seen
        yield from every_field(field.get("fields", []), seen)


def planted(message, within):
    """Copies of a message with one fault each, in fields that are in versions `within`."""
    def change(key, value):
        return lambda fields, i: fields[i].__setitem__(key, value(fields[i]))

    def swap(fields, i):
        fields[i], fields[i - 1] = fields[i - 1], fields[i]

    faults = {
        "name": change("name", lambda f: f["name"] + "s"),
        "type": change("type", lambda f: "int16" if f["type"] == "int32" else "int32"),
        "nullable": change("nullable", lambda f: "none" if "nullable" in f else f["versions"]),
        "tag": change("tag", lambda f: f.get("tag", 8) + 1),
        "ignorable": change("ignorable", lambda f: not f.get("ignorable", False)),
        "missing": lambda fields, i: fields.pop(i),
    }
    numbers = {"default": change("default", lambda f: as_number(f.get("default")) ^ 1)}
    for n, (fields, index, seen) in enumerate(every_field(message["fields"], within)):
        field = fields[index]
        if not seen:
            continue
        some = dict(faults)
        if re.fullmatch(r"u?int\d+|bool", field["type"]):
            some |= numbers
        if index > 0 and "tag" not in field and "tag" not in fields[index - 1] and \
                any(contains(fields[index - 1]["versions"], v) for v in seen):
            some["order"] = swap
        if len(seen) > 1:
            some["versions"] = change("versions", lambda f: f"{seen[0]}-{seen[-1] - 1}")
        for what, fault in some.items():
            wrong = copy.deepcopy(message)
            fault(*list(every_field(wrong["fields"], []))[n][:2])
            yield f"{message['name']}.{field['name']}: {what}", wrong


def wrong_names(source, kafka):
    """Of APIs: what the program says to `names`, against the requests of Kafka."""
    if source.endswith(".json"):
        return
    said = subprocess.run([source, "names"], check=True, capture_output=True, text=True).stdout
    ours = {int(key): name for key, name in (line.split() for line in said.splitlines())}
    right = {d["apiKey"]: d["name"].removesuffix("Request") for d in kafka.values()
             if d["type"] == "request"}
    for key in sorted(ours.keys() | right.keys()):
        if ours.get(key) != right.get(key):
            yield f"API {key}: {ours.get(key)}, Kafka {right.get(key)}"


def wrong_types(records, kafka):
    """A record's type is in its key's definition where requests have their API's key."""
    for record in records:
        for part in ("key", "value"):
            if part in record and kafka[record[part]["name"]]["apiKey"] != record["type"]:
                yield f"{record[part]['name']}: type {record['type']}"


def find_definitions(arguments):
    for source in (*arguments, os.environ.get("LEAT_KAFKA_MESSAGES"),
                   os.environ.get("LEAT_KAFKA_CLIENTS_JAR")):
        if source and pathlib.Path(source).exists():
            return source
    return None


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    source = find_definitions(sys.argv[2:3])
    if source is None:
        print("skipped: no definitions; set LEAT_KAFKA_CLIENTS_JAR to a kafka-clients jar")
        return SKIPPED
    kafka = definitions(source)
    messages = [m for api in declared(sys.argv[1]) for m in (api["request"], api["response"])]
    records = [r for r in declared_records(sys.argv[1]) if "OffsetCommitKey" in kafka or "data" in r]
    messages += [r[part] for r in records for part in ("key", "value", "data") if part in r]
    older = definitions(sys.argv[3]) if len(sys.argv) > 3 else {}

    def different(message):
        name = message["name"]
        return differences(message, kafka.get(name), older.get(name))

    def with_faults(message):
        low, high = versions(message["versions"])
        if not older:
            low = max(low, versions(kafka[message["name"]]["validVersions"])[0])
        return planted(message, range(low, high + 1))

    missed = [name for m in messages for name, wrong in with_faults(m) if not any(different(wrong))]
    found = [d for m in messages for d in different(m)]
    found += [*wrong_names(sys.argv[1], kafka), *wrong_types(records, kafka)]
    for line in [f"planted but not found: {name}" for name in missed] + found:
        print(line)
    count = sum(1 for m in messages for _ in with_faults(m))
    if not found and not missed:
        print(f"{len(messages)} messages as in {source}; {count} planted faults found")
    return 1 if found or missed else 0


if __name__ == "__main__":
    sys.exit(main())
