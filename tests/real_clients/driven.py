"""The commands of a Python client: reads them from standard input, answers on standard output.

A client is a class whose methods bear the commands' names; README.md beside this file lists them.
"""
import sys


def to_field(data: bytes | None) -> str:
    return "null" if data is None else "x" + bytes(data).hex()


def to_bytes(field: str) -> bytes | None:
    return None if field == "null" else bytes.fromhex(field[1:])


def say(*words):
    print("=", *words, flush=True)


def say_record(offset, timestamp, key, value, headers):
    fields = [f"{to_field(name.encode())}:{to_field(data)}" for name, data in headers or []]
    print("=", offset, timestamp, to_field(key), to_field(value), *fields)


def read_records(path):
    """Yields (timestamp, key, value, headers) of each line of a file of records."""
    with open(path) as lines:
        for line in lines:
            timestamp, key, value, *headers = line.split()
            pairs = [field.split(":") for field in headers]
            yield (int(timestamp), to_bytes(key), to_bytes(value),
                   [(to_bytes(name).decode(), to_bytes(data)) for name, data in pairs])


def run(client):
    for line in sys.stdin:
        command, *words = line.split()
        try:
            getattr(client, command)(*words)
            print("ok", flush=True)
        except Exception as problem:  # Whatever a library throws is an answer.
            print("error", type(problem).__name__, str(problem).replace("\n", " "), flush=True)
