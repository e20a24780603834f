"""An Apache Kafka of our own: one node, fresh data, free ports; its jars come from scripts/interop."""
import pathlib
import shutil
import socket
import subprocess
import tempfile

from broker import Command

PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class ApacheKafka(Command):
    def __init__(self, jars, heap="1G", more=""):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="leat-apache-"))
        self.data = self.home / "data"
        port, controller = free_ports(2)
        self.properties = self.home / "server.properties"
        self.properties.write_text(PROPERTIES.format(port=port, controller=controller,
                                                     data=self.data) + more)
        self.java = ["java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", f"{jars}/*"]
        self.tool("kafka.tools.StorageTool", "format", "-t",
                  self.tool("kafka.tools.StorageTool", "random-uuid").split()[-1],
                  "-c", str(self.properties))
        super().__init__([*self.java[:1], f"-Xmx{heap}", "-XX:TieredStopAtLevel=1", *self.java[1:],
                          "kafka.Kafka", str(self.properties)], f"127.0.0.1:{port}")

    def tool(self, *arguments):
        return subprocess.run([*self.java, *arguments], capture_output=True, check=True,
                              text=True).stdout

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
