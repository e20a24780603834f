"""Burrow, a lag monitor that reads __consumer_offsets itself, beside a group that falls behind and
catches up."""
import contextlib
import json
import socket
import urllib.error
import urllib.request

from apache import free_ports
from clients import Program
from foreign import Failed, java, running, wait_for
from member import Member

OPTIONS = "offset_commit_version = 3\n"  # It knows no newer one.
BEHIND = 200

ZOOKEEPER = """\
dataDir={folder}/zookeeper
clientPort={port}
clientPortAddress=127.0.0.1
admin.enableServer=false
"""
CONFIG = """\
[general]
pidfile="{folder}/burrow.pid"

[logging]
filename="{folder}/burrow.log"
level="info"

[zookeeper]
servers=["127.0.0.1:{zookeeper}"]
root-path="/burrow"

[client-profile.leat]
client-id="burrow"
kafka-version="2.0.0"

[cluster.leat]
class-name="kafka"
servers=["{bootstrap}"]
client-profile="leat"
topic-refresh=1
offset-refresh=1

[consumer.leat]
class-name="kafka"
cluster="leat"
servers=["{bootstrap}"]
client-profile="leat"
offsets-topic="__consumer_offsets"

[httpserver.default]
address="127.0.0.1:{http}"

[storage.default]
class-name="inmemory"
intervals=2
min-distance=0
"""


def serves(port):
    """Whether ZooKeeper takes sessions, which it does some time after it listens."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as asking:
            asking.sendall(b"srvr")
            return b"Mode: standalone" in asking.makefile("rb").read()
    except OSError:
        return False


def lag_of(port, group):
    """What it says of the group now, or nothing while it knows nothing."""
    where = f"http://127.0.0.1:{port}/v3/kafka/leat/consumer/{group}/lag"
    try:
        with urllib.request.urlopen(where, timeout=5) as answer:
            status = json.load(answer)["status"]
    except (urllib.error.URLError, ConnectionError):
        return None
    return status["totallag"] if status["partition_count"] else None


def expect_lag(port, lag, process):
    seen = []

    def says_so():
        seen.append(lag_of(port, "shop"))
        return seen[-1] == lag
    try:
        wait_for(says_so, f"a lag of {lag}", process)
    except Failed as problem:
        raise Failed(f"{problem}; it said {seen[-1]}") from None


def watch(options, bootstrap, folder):
    client = java(f"{options.classes}:{options.jars}/*", "Client")
    zookeeper, http = free_ports(2)
    files = {name: folder / name for name in ("zoo.cfg", "burrow.toml", "records")}
    files["zoo.cfg"].write_text(ZOOKEEPER.format(folder=folder, port=zookeeper))
    files["burrow.toml"].write_text(CONFIG.format(folder=folder, bootstrap=bootstrap, http=http,
                                                  zookeeper=zookeeper))
    files["records"].write_text("0 null x61\n" * BEHIND)
    program = Program("client", client, bootstrap)

    def produce():
        program.ask("produce", "watched", 0, "none", "all", 0, files["records"])

    def read_all():
        member = Member.of_program(client, bootstrap, "shop", "watched", folder)
        member.wait_for(lambda: len(member.read) == BEHIND)
        member.leave()
    with contextlib.ExitStack() as ending:
        ending.callback(program.close)
        program.create("watched", 1)
        produce()
        read_all()
        produce()
        keeper = ending.enter_context(running(
            java("/usr/share/java/zookeeper.jar",
                 "org.apache.zookeeper.server.quorum.QuorumPeerMain", files["zoo.cfg"]),
            folder / "zookeeper.log"))
        wait_for(lambda: serves(zookeeper), "ZooKeeper", keeper)
        process = ending.enter_context(running(["Burrow", "--config-dir", folder],
                                               folder / "said"))
        expect_lag(http, BEHIND, process)
        read_all()
        expect_lag(http, 0, process)
    return f"it saw a group {BEHIND} records behind, and then with none"
