"""What scripts/bench measures: the rows of a broker under load, and what Leat aims for in each.

An aim is a ratio to Apache Kafka in the same turn: (figure of the result, at most or at least, ratio).
"""
from dataclasses import dataclass, field

CPU_GB, CPU_REQUEST, MB_S = "cpu_s_per_gb", "cpu_us_per_request", "mb_s"
CPU_RAW_GB, RECORDS_S, REQUESTS_S = "cpu_s_per_raw_gb", "records_s", "requests_s"

FIGURES = {  # How each is told.
    CPU_GB: "CPU per GB", CPU_REQUEST: "CPU per request", CPU_RAW_GB: "CPU per raw GB", MB_S: "MB/s",
    RECORDS_S: "records/s", REQUESTS_S: "requests/s", "p50_us": "p50", "p99_us": "p99",
    "cpu_us_per_record": "CPU per record"}


@dataclass
class Row:
    name: str
    arguments: str  # Of the tool in tests/bench.
    aims: list = field(default_factory=list)
    tool: str = "load"
    limits: list = field(default_factory=list)  # (figure, at most): of Leat alone.
    floor: list = field(default_factory=list)  # As aims, but to the null broker.
    on: tuple = ("null", "leat", "kafka")  # Without "null": it does not do so much, hence is no floor.
    slow: bool = False  # Kafka takes minutes to make its topic: there with --slow only.


def at_most(figure, ratio):
    return (figure, "at most", ratio)


def at_least(figure, ratio):
    return (figure, "at least", ratio)


REAL = ("leat", "kafka")

ROWS = [
    Row("produce 1 KiB x 100, 1 connection, 5 in flight", "--in-flight 5", [at_most(CPU_GB, 1 / 8)]),
    Row("produce 1 KiB x 100, 8 connections, 8 partitions",
        "--in-flight 5 --connections 8 --partitions 8", [at_least(MB_S, 4)]),
    Row("produce 100 B x 1,000, 1 connection", "--in-flight 5 --records 1000 --value 100",
        [at_least(RECORDS_S, 6)]),
    Row("produce 1 x 100 B, 64 connections, 1 in flight",
        "--in-flight 1 --connections 64 --records 1 --value 100", [at_most(CPU_REQUEST, 1 / 4)]),
    Row("produce 1 x 100 B, 16 connections x 16 in flight",
        "--in-flight 16 --connections 16 --records 1 --value 100", [at_most(CPU_REQUEST, 1 / 10)]),
    Row("produce 1 KiB x 1,000 lz4, 1 connection", "--in-flight 5 --records 1000 --codec lz4",
        [at_most(CPU_RAW_GB, 1 / 5)]),
    Row("produce 1 KiB x 1,000 zstd, 1 connection", "--in-flight 5 --records 1000 --codec zstd",
        [at_most(CPU_RAW_GB, 1 / 15)]),
    # The null broker syncs nothing, so it is no floor of the durable row.
    Row("durable: 1 x 1 KiB, 32 connections, 100 partitions, flush.messages=1",
        "--in-flight 1 --connections 32 --partitions 100 --records 1 --configs flush.messages=1",
        [at_least(REQUESTS_S, 8)], on=REAL),
    Row("fetch 1 MiB, 1 connection", "--call fetch --in-flight 1",
        [at_least(MB_S, 1.7), at_most(CPU_GB, 0.6)]),
    Row("fetch 1 MiB, 8 connections", "--call fetch --in-flight 1 --connections 8 --partitions 8",
        [at_least(MB_S, 1.3)]),
    Row("fetch session of 10,000 partitions",
        "--call fetch_session --in-flight 1 --partitions 10000", on=REAL, slow=True),
    Row("ApiVersions, 64 connections, 1 in flight", "--call api_versions --connections 64",
        [at_most(CPU_REQUEST, 1 / 7)]),
    Row("ApiVersions, 64 connections, 16 in flight",
        "--call api_versions --connections 64 --in-flight 16", [at_most(CPU_REQUEST, 1 / 30)]),
    Row("end to end, 100 B at 1,000/s", "--rate 1000",
        [at_most("p50_us", 0.6), at_most("p99_us", 0.25)], tool="latency"),
    Row("end to end, 100 B at 5,000/s", "--rate 5000", tool="latency", limits=[("p99_us", 2000)]),
]

# Each connection is the one member of a group of its own. A heartbeat says no more than an echo, so
# the null broker's cost is the measure of it.
ROWS += [
    Row("heartbeat, 64 groups, 1 in flight", "--call heartbeat --connections 64",
        [at_most(CPU_REQUEST, 1)], floor=[at_most(CPU_REQUEST, 1.5)]),
    Row("heartbeat, 64 groups, 16 in flight", "--call heartbeat --connections 64 --in-flight 16",
        [at_most(CPU_REQUEST, 1)]),
    Row("offset commit, 64 groups, 1 in flight", "--call commit --connections 64 --in-flight 1",
        [at_least(REQUESTS_S, 1)]),
    Row("offset commit, 64 groups, 16 in flight", "--call commit --connections 64 --in-flight 16",
        [at_least(REQUESTS_S, 1)]),
]

# One turn is one compaction of 400 MB, and the latencies are those of a producer beside it.
ROWS += [Row("compaction of 400 MB, 20,000 keys", "--mb 400 --keys 20000",
             [at_least(MB_S, 1), at_most("p99_us", 1)], tool="compaction", on=REAL)]

# A number only: the span of one call, which no broker has part in.
ROWS += [Row(f"assignor {name}, 1,000 members, 10,000 partitions", f"--assignor {name}",
             tool="assignors", on=("leat",))
         for name in ("uniform", "range", "sticky", "rack_aware", "lag_aware")]

# What an operator chooses, for docs/choosing.md.
ONE = "--in-flight 1 --connections 32 --partitions 100 --records 1 --value 1024"
ROWS += [Row(f"engine {engine}, {what}", f"{arguments} --configs leat.storage.engine={engine}",
             on=("leat",))
         for what, arguments in (("produce 1 KiB x 100", "--in-flight 5"),
                                 ("fetch 1 MiB", "--call fetch --in-flight 1"))
         for engine in ("disk", "mapped", "ram")]
ROWS += [Row(f"engine {engine}, flush {words}, 32 connections, 100 partitions",
             f"{ONE} --configs leat.storage.engine={engine}{configs}", on=("leat",))
         for engine in ("disk", "mapped")
         for words, configs in (("none", ""), ("500ms", ",flush.ms=500"),
                                ("each", ",flush.messages=1"))]

# Of Leat alone, for what is no row of load: (how the result is called, unit, aim).
START, IDLE_MB, LOADED_MB, IDLE_CPU = "start", "idle memory", "memory after load", "idle CPU"
ALONE = {START: ("ms", 50), IDLE_MB: ("MB", 12), LOADED_MB: ("MB", 64), IDLE_CPU: ("%", 0.1)}
MANY = {"created": ("s", 5), "memory": ("kB each", 2), "clean, first answer": ("s", 0.5),
        "clean, first produce": ("s", 0.5), "kill -9, first answer": ("s", 2),
        "kill -9, first produce": ("s", 2)}

# 1,000 groups of two members, from nothing and after a restart.
GROUPS = {"stable": ("s", 1.5), "stable again, clean": ("s", 1.5), "stable again, kill -9": ("s", 1.5)}
