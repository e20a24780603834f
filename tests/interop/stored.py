"""How a partition's batches are compressed, asked with a Fetch of our own: a client that quietly sends
uncompressed would not be seen otherwise."""
import socket
import struct

CODECS = {0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
BATCH_HEADER = struct.Struct(">qiibIh")  # Base offset, length, epoch, magic, CRC, attributes.


def fetch(bootstrap, topic, partition, offset, max_bytes=8_000_000):
    """The bytes of a Fetch v4 answer for one partition."""
    name = topic.encode()
    body = struct.pack(">iiiib", -1, 100, 1, max_bytes, 0)
    body += struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iiqi", 1, partition, offset, max_bytes)
    header = struct.pack(">hhih", 1, 4, 7, 6) + b"matrix"
    host, port = bootstrap.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(struct.pack(">i", len(header + body)) + header + body)
        stream = connection.makefile("rb")
        answer = stream.read(struct.unpack(">i", stream.read(4))[0])
    position = 4 + 4 + 4 + 2 + len(name) + 4 + 4  # Up to the partition's error code.
    error, _, _, aborted = struct.unpack_from(">hqqi", answer, position)
    if error:
        raise RuntimeError(f"Fetch of {topic}-{partition} answered error {error}")
    position += 22 + 16 * max(aborted, 0)
    size, = struct.unpack_from(">i", answer, position)
    return answer[position + 4:position + 4 + max(size, 0)]


def codecs_of(bootstrap, topic, partition):
    """The set of the codecs' names in a partition of a few megabytes."""
    data, position, found = fetch(bootstrap, topic, partition, 0), 0, set()
    while position + BATCH_HEADER.size <= len(data):
        _, length, _, _, _, attributes = BATCH_HEADER.unpack_from(data, position)
        found.add(CODECS[attributes & 7])
        position += 12 + length
    return found
