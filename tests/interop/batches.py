"""Record batches built by hand, right or wrong in any field, and read back as dicts."""
import hashlib
import struct

HEADER = struct.Struct(">qiibIhiqqqhii")
FIELDS = ("base_offset", "length", "leader_epoch", "magic", "crc", "attributes", "last_offset_delta",
          "base_timestamp", "max_timestamp", "producer_id", "producer_epoch", "base_sequence", "count")
CRC_FROM = 21  # What lies before can be stamped by a broker without a new CRC.


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def zigzag(value):
    value = value << 1 ^ value >> 63
    out = bytearray()
    while value & ~127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def record(delta, timestamp_delta, key, value):
    def put(data):
        return zigzag(-1) if data is None else zigzag(len(data)) + data
    body = b"\0" + zigzag(timestamp_delta) + zigzag(delta) + put(key) + put(value) + zigzag(0)
    return zigzag(len(body)) + body


def batch(timestamps, values=None, **wrong):
    """One batch with a record per timestamp. Keywords override fields of the header; `crc_flip` damages
    the CRC, `key` sets all keys (None is null), `payload` replaces the records' bytes."""
    values = values or [b"v%d" % n for n in range(len(timestamps))]
    key, base = wrong.pop("key", b"k"), timestamps[0]
    payload = wrong.pop("payload", None)
    if payload is None:
        payload = b"".join(record(n, t - base, key, v)
                           for n, (t, v) in enumerate(zip(timestamps, values)))
    flip = wrong.pop("crc_flip", 0)
    fields = dict(base_offset=0, length=HEADER.size - 12 + len(payload), leader_epoch=-1, magic=2,
                  crc=0, attributes=0, last_offset_delta=len(timestamps) - 1, base_timestamp=base,
                  max_timestamp=max(timestamps), producer_id=-1, producer_epoch=-1,
                  base_sequence=-1, count=len(timestamps)) | wrong
    data = HEADER.pack(*(fields[name] for name in FIELDS)) + payload
    crc = crc32c(data[CRC_FROM:]) ^ flip
    return data[:17] + struct.pack(">I", crc) + data[CRC_FROM:]


def read_batches(data):
    """The batches as dicts; a cut one at the end becomes a dict that says so."""
    found = []
    while data:
        size = 12 + struct.unpack_from(">i", data, 8)[0] if len(data) >= HEADER.size else 0
        if not HEADER.size <= size <= len(data):
            found.append({"cut": len(data)})
            break
        one = dict(zip(FIELDS, HEADER.unpack_from(data)))
        one["crc_is_right"] = crc32c(data[CRC_FROM:size]) == one.pop("crc")
        one["payload"] = hashlib.sha256(data[HEADER.size:size]).hexdigest()[:12]
        found.append(one)
        data = data[size:]
    return found
