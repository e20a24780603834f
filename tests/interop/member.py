"""A member of a group: one of the clients of the matrix, which reads until it is told to leave."""
import itertools
import threading
import time

from clients import ClientError, Program

PATIENCE_S = 40
# Both brokers let a group's first member begin at once; Apache Kafka's properties say the same.
NO_DELAY = '\n[group_coordinator]\ninitial_rebalance_delay = "0ms"\n'
numbers = itertools.count()


class Member:
    """Reads in a thread of its own; `read` is what it has read, as pairs of partition and offset."""

    def __init__(self, program, group, topic, folder):
        self.program, self.until = program, folder / f"leave-{next(numbers)}"
        self.read, self.problem = [], None
        self.thread = threading.Thread(target=self.run, args=(group, topic), daemon=True)
        self.thread.start()

    @classmethod
    def of_program(cls, command, bootstrap, group, topic, folder, environment=None):
        return cls(Program("member", command, bootstrap, environment), group, topic, folder)

    def run(self, group, topic):
        def on_line(line):
            partition, offset = line.split()
            self.read.append((int(partition), int(offset)))
        try:
            self.program.ask("member", group, topic, self.until, on_line=on_line)
        except ClientError as problem:
            self.problem = problem

    def wait_for(self, condition, act=lambda: None, what="records"):
        """`act` is done between two looks."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if self.problem:
                raise self.problem
            if time.monotonic() > deadline:
                raise ClientError(f"{what} did not come; read {sorted(self.read)[-20:]}")
            act()
            time.sleep(0.05)  # A poll of a foreign program's progress, bounded above.

    def leave(self):
        self.until.touch()
        self.thread.join(PATIENCE_S)
        self.close()
        if self.thread.is_alive():
            raise ClientError("did not leave")
        if self.problem:
            raise self.problem

    def close(self):
        self.program.close()
