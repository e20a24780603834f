"""The broker under test: Leat from a binary, any other from a command, or one that runs already."""
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

START_S = 60

LEAT_CONFIG = """\
node_id = 1
data_dir = "data"

[[listener]]
name = "plaintext"
bind = "127.0.0.1:{port}"
advertise = "auto"

[plugins]
search_path = ["{plugins}"]

[storage.disk]
plugin = "segment"

[coordination]
plugin = "local"

[topic_defaults]
partitions = 1
storage = "disk"
"""


class BrokerError(Exception):
    """The broker did not come up or did not go down."""


class Running:
    """A broker that somebody else started: it cannot be killed."""

    restartable, data = False, None

    def __init__(self, bootstrap):
        self.bootstrap = bootstrap

    def start(self):
        wait_for_port(self.bootstrap)

    def stop(self):
        pass


class Command:
    """A broker behind a command, on an address known beforehand."""

    restartable, data = True, None

    def __init__(self, command, bootstrap):
        self.command, self.bootstrap, self.process = command, bootstrap, None

    def start(self):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdout=self.log,
                                        stderr=subprocess.STDOUT)
        wait_for_port(self.bootstrap, self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise BrokerError("the broker did not stop within 30 s of SIGTERM") from None


class Leat(Command):
    """Leat with a data folder of its own. The first start picks the port, later ones keep it."""

    def __init__(self, binary, plugins, more=""):
        self.binary, self.plugins, self.more = pathlib.Path(binary), plugins, more
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="leat-interop-"))
        self.data = self.home / "data" / "disk"
        self.config = self.home / "leat.toml"
        self.bootstrap = None
        super().__init__([str(self.binary), "serve", str(self.config)], None)

    def start(self):
        port = self.bootstrap.rsplit(":", 1)[1] if self.bootstrap else 0
        self.config.write_text(LEAT_CONFIG.format(port=port, plugins=self.plugins) + self.more)
        with open(self.home / "broker.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log)
        ready = threading.Event()
        threading.Thread(target=self.follow, args=(ready,), daemon=True).start()
        if not ready.wait(START_S) or self.process.poll() is not None:
            raise BrokerError("leat is not ready: " + self.last_words())

    def follow(self, ready):
        """Reads standard output for as long as the broker lives, so that it never blocks on it."""
        for line in self.process.stdout:
            words = line.decode(errors="replace").split()
            if words[:2] == ["listening", "on"]:
                self.bootstrap = words[2]
            if words == ["ready"]:
                ready.set()
        ready.set()

    def last_words(self):
        return (self.home / "broker.log").read_bytes()[-1000:].decode(errors="replace")

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)


def wait_for_port(bootstrap, process=None):
    host, port = bootstrap.rsplit(":", 1)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            raise BrokerError(f"the broker ended with {process.returncode}")
        try:
            socket.create_connection((host, int(port)), 1).close()
            return
        except OSError:
            time.sleep(0.1)  # Another program's start has no event to wait for.
    raise BrokerError(f"nobody listens on {bootstrap}")
