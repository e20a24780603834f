"""Encodes and decodes Kafka's messages by Kafka's own definitions, which are in the kafka-clients jar
(common/message/*.json). Messages are dicts with the definitions' field names; what a request leaves
out takes the definition's default. Independent of Leat's declarations on purpose."""
import json
import pathlib
import re
import struct
import uuid
import zipfile

FIXED = {"bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I",
         "int64": ">q", "float64": ">d"}
LIMIT = 100_000_000  # No length in an answer is larger.


class Malformed(Exception):
    """The bytes are not what the definition says."""


def contains(versions, version):
    if not versions or versions == "none":
        return False
    low, _, high = versions.rstrip("+").partition("-")
    if versions.endswith("+"):
        return version >= int(low)
    return int(low) <= version <= int(high or low)


class Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    def take(self, size):
        if not 0 <= size <= min(LIMIT, len(self.data) - self.position):
            raise Malformed(f"{size} bytes at {self.position} of {len(self.data)}")
        self.position += size
        return self.data[self.position - size:self.position]

    def number(self, code):
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def varint(self):
        value, shift = 0, 0
        while shift < 35:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise Malformed("a varint of more than 5 bytes")


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


class Definition:
    """One request or response, for all its versions."""

    def __init__(self, spec):
        self.spec, self.name = spec, spec["name"]
        self.structs = {s["name"]: s["fields"] for s in spec.get("commonStructs", [])}

    def flexible(self, version):
        return contains(self.spec.get("flexibleVersions", "none"), version)

    def encode(self, version, message):
        return self.put_struct(self.spec["fields"], version, message)

    def decode(self, version, data):
        reader = Reader(data)
        message = self.get_struct(self.spec["fields"], version, reader)
        if reader.position != len(data):
            raise Malformed(f"{len(data) - reader.position} bytes behind the end of {self.name}")
        return message

    def split(self, fields, version):
        """The fields of the main list, and the tagged ones by tag."""
        plain, tagged = [], {}
        for field in fields:
            if contains(field.get("taggedVersions"), version):
                tagged[field["tag"]] = field
            elif contains(field["versions"], version):
                plain.append(field)
        return plain, tagged

    def put_struct(self, fields, version, message):
        unknown = set(message) - {f["name"] for f in fields}
        assert not unknown, f"{self.name} has no {unknown}"
        plain, tagged = self.split(fields, version)
        out = b"".join(self.put(f, f["type"], version, message.get(f["name"], default_of(f)))
                       for f in plain)
        if self.flexible(version):
            sent = {tag: self.put(f, f["type"], version, message[f["name"]])
                    for tag, f in sorted(tagged.items()) if f["name"] in message}
            out += varint(len(sent))
            out += b"".join(varint(tag) + varint(len(data)) + data for tag, data in sent.items())
        return out

    def get_struct(self, fields, version, reader):
        plain, tagged = self.split(fields, version)
        message = {f["name"]: self.get(f, f["type"], version, reader) for f in plain}
        if self.flexible(version):
            for _ in range(reader.varint()):
                tag, size = reader.varint(), reader.varint()
                inner = Reader(reader.take(size))
                if tag in tagged:
                    field = tagged[tag]
                    message[field["name"]] = self.get(field, field["type"], version, inner)
                else:
                    message[f"unknown tag {tag}"] = inner.data.hex()
        return message

    def members(self, field, kind):
        return field.get("fields") or self.structs[kind]

    def compact(self, field, version):
        if "flexibleVersions" in field:
            return contains(field["flexibleVersions"], version)
        return self.flexible(version)

    def put(self, field, kind, version, value):
        compact = self.compact(field, version)
        if kind in FIXED:
            return struct.pack(FIXED[kind], value)
        if kind == "uuid":
            return uuid.UUID(value).bytes
        if kind.startswith("[]"):
            inner = b"".join(self.put(field, kind[2:], version, each) for each in value or [])
            return length(">i", compact, None if value is None else len(value)) + inner
        if kind in ("string", "bytes", "records"):
            data = value.encode() if isinstance(value, str) else value
            size = None if data is None else len(data)
            return length(">h" if kind == "string" else ">i", compact, size) + (data or b"")
        if self.nullable_struct(field, version):
            if value is None:
                return b"\xff"
            return b"\x01" + self.put_struct(self.members(field, kind), version, value)
        return self.put_struct(self.members(field, kind), version, value)

    @staticmethod
    def nullable_struct(field, version):
        return "[]" not in field["type"] and contains(field.get("nullableVersions"), version)

    def get(self, field, kind, version, reader):
        compact = self.compact(field, version)
        if kind in FIXED:
            return reader.number(FIXED[kind])
        if kind == "uuid":
            return str(uuid.UUID(bytes=bytes(reader.take(16))))
        if kind.startswith("[]"):
            size = read_length(">i", compact, reader)
            return None if size < 0 else [self.get(field, kind[2:], version, reader)
                                          for _ in range(size)]
        if kind in ("string", "bytes", "records"):
            size = read_length(">h" if kind == "string" else ">i", compact, reader)
            if size < 0:
                return None
            data = reader.take(size)
            return data.decode() if kind == "string" else data
        if self.nullable_struct(field, version) and reader.number(">b") < 0:
            return None
        return self.get_struct(self.members(field, kind), version, reader)


def length(code, compact, size):
    if compact:
        return varint(0 if size is None else size + 1)
    return struct.pack(code, -1 if size is None else size)


def read_length(code, compact, reader):
    return reader.varint() - 1 if compact else reader.number(code)


def default_of(field):
    kind, default = field["type"], field.get("default")
    if default == "null":
        return None
    if kind == "bool":
        return default in (True, "true")
    if kind in FIXED:
        return (float if kind == "float64" else lambda text: int(text, 0))(str(default or 0))
    if kind == "uuid":
        return str(uuid.UUID(int=0))
    if kind.startswith("[]"):
        return []
    if kind == "string":
        return default or ""
    return b"" if kind in ("bytes", "records") else {}


class Messages:
    """All definitions, of a jar or a folder."""

    def __init__(self, source):
        self.requests, self.responses = {}, {}
        for text in texts(pathlib.Path(source)):
            spec = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M))
            if spec["type"] in ("request", "response"):
                kind = self.requests if spec["type"] == "request" else self.responses
                kind[spec["name"].removesuffix("Request").removesuffix("Response")] = \
                    Definition(spec)

    def request(self, api, version, correlation, message, client_id="compare"):
        definition = self.requests[api]
        header = struct.pack(">hhi", definition.spec["apiKey"], version, correlation)
        header += length(">h", False, len(client_id)) + client_id.encode()
        header += b"\0" if definition.flexible(version) else b""
        return header + definition.encode(version, message)

    def response(self, api, version, data):
        """The pair of correlation id and message."""
        definition = self.responses[api]
        # ApiVersions answers with the oldest header, for the asker may know no newer one.
        flexible = definition.flexible(version) and api != "ApiVersions"
        if flexible and data[4:5] != b"\0":
            raise Malformed("tags in the response header")
        return (struct.unpack_from(">i", data)[0],
                definition.decode(version, data[5 if flexible else 4:]))


def texts(source):
    if source.is_dir():
        return [path.read_text() for path in sorted(source.glob("*.json"))]
    with zipfile.ZipFile(source) as jar:
        return [jar.read(name).decode() for name in jar.namelist()
                if re.fullmatch(r"common/message/\w+\.json", name)]
