"""The records that every client writes, and their one way of being written down.

A line is `TIMESTAMP KEY VALUE [NAME:VALUE...]`, bytes as `x` and hex digits, null as `null`: what was
written and what was read back are compared as such lines, so nothing about a record goes uncompared.
"""
import random
from typing import NamedTuple


def field(data):
    return "null" if data is None else "x" + data.hex()


class Record(NamedTuple):
    timestamp: int  # Milliseconds.
    key: bytes | None
    value: bytes | None
    headers: tuple = ()  # Of (bytes, bytes or None).

    def line(self):
        headers = (f"{field(name)}:{field(value)}" for name, value in self.headers)
        return " ".join([str(self.timestamp), field(self.key), field(self.value), *headers])


def without_timestamp(line):
    return line.split(" ", 1)[1]


def timestamp_of(line):
    return int(line.split(" ", 1)[0])


def compressible(source, size):
    """Bytes of which the codecs save about half: half of them random, half of them repeated."""
    half = source.randbytes(size - size // 2)
    return (half + half)[:size]


def record_set(seed, first_timestamp, large):
    """The same records for the same seed. `large` adds values of up to 200 KB."""
    source = random.Random(seed)
    every_byte = bytes(range(256))
    pairs = [
        (b"key", b"value", ((b"header", b"its value"),)),
        (None, b"no key", ()),
        (b"no value", None, ((b"why", b"a tombstone"),)),
        (b"", b"empty key", ()),
        (b"empty value", b"", ((b"empty", b""),)),
        (every_byte, every_byte, ((b"every byte", every_byte),)),
        ("Schlüssel ключ 鍵".encode(), "Wert значение 値".encode(), (("naïve".encode(), b"1"),)),
        (b"many headers", b"x", tuple((b"h%d" % (n % 7), b"%d" % n) for n in range(20))),
        (b"null header", b"x", ((b"null", None), (b"after", b"it"))),
        (b"long text", b"".join(b"word %d of the text, " % n for n in range(800)), ()),
        (b"plain text", b"one line of text", ((b"a", b"1"), (b"b", b"2"))),
    ]
    sizes = [1, 2, 63, 64, 127, 128, 1_000, 8_191, 8_192, 16_000]
    if large:
        sizes += [65_536, 200_000]
    pairs += [(b"size %d" % size, compressible(source, size), ()) for size in sizes]
    # Not in order: a client that sorts or stamps by itself would be seen.
    steps = [source.randrange(0, 60_000) for _ in pairs]
    return [Record(first_timestamp + step, *pair) for step, pair in zip(steps, pairs)]


def writable(records, can):
    """Those records that a client with these abilities can express at all."""
    return [r for r in records
            if "null_headers" in can or all(value is not None for _, value in r.headers)]
