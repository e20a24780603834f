#!/usr/bin/env python3
"""Shows with kcat that groups of the classic protocol follow the assignor that the operator chose,
eager and cooperative ones; that a reload changes it at the next rebalance and not before; and that
an assignor that throws, lies or hangs costs its group nothing.

    assignors.py --leat build/dev/leat --libraries build/dev/tests/real_clients/plugins

The plugin gives everything to one member: takes_all_first.so to the one whose client id is first in
the alphabet, takes_all_last.so, of the same name, to the last.
"""
import argparse
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))
import broker as brokers  # noqa: E402

PATIENCE_S = 60
PARTITIONS = 4
ALL = list(range(PARTITIONS))
CONFIG = """
[group_coordinator]
initial_rebalance_delay = "1s"
assignor_budget = "500ms"
[internal_topics]
partitions = 2
[groups."orders-*"]
assignor = "one_takes_all"
[groups.throwing]
assignor = "throwing"
[groups.lying]
assignor = "lying"
[groups.hanging]
assignor = "hanging"
[assignment.throwing]
plugin = "one_takes_all"
trouble = "throw"
[assignment.lying]
plugin = "one_takes_all"
trouble = "lie"
[assignment.hanging]
plugin = "one_takes_all"
trouble = "hang"
"""


class Member:
    """A kcat in a group, and what it holds by what it says."""

    def __init__(self, bootstrap, group, client_id, strategy=None):
        command = ["kcat", "-b", bootstrap, "-X", f"client.id={client_id}", "-G", group, "t"]
        if strategy:
            command[3:3] = ["-X", f"partition.assignment.strategy={strategy}"]
        self.holds = None
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        for line in self.process.stderr:
            if " rebalanced" not in line:
                continue
            named = {int(number) for number in re.findall(r"t \[(\d+)\]", line)}
            held = set(self.holds or [])
            if "incremental assignment" in line:
                held |= named
            elif "incremental revoke" in line:
                held -= named
            else:
                held = named if "assigned:" in line else set()
            self.holds = sorted(held)

    def leave(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)


class Story:
    def __init__(self, options):
        self.leat, self.libraries = options.leat, pathlib.Path(options.libraries)
        self.plugins = pathlib.Path(tempfile.mkdtemp(prefix="leat-assignors-"))
        self.install("takes_all_first.so")
        self.broker = brokers.Leat(pathlib.Path(options.leat).resolve(), self.plugins, CONFIG)
        self.members = []

    def install(self, library):
        """As a package does it: another file under the same name."""
        fresh = self.plugins / "fresh"
        shutil.copy(self.libraries / library, fresh)
        fresh.chmod(0o755)
        fresh.rename(self.plugins / "takes_all.so")

    def member(self, *arguments):
        self.members.append(Member(self.broker.bootstrap, *arguments))
        return self.members[-1]

    def await_(self, what, *holding):
        """Until each (member, partitions) of `holding` is so."""
        deadline = time.monotonic() + PATIENCE_S
        while any(member.holds != wanted for member, wanted in holding):
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: they hold {[m.holds for m, _ in holding]}, and not "
                                     f"{[wanted for _, wanted in holding]}; the broker says: "
                                     + self.broker.last_words())
            time.sleep(0.05)  # kcat has no event to wait for.
        print(f"{what}: {[wanted for _, wanted in holding]}", flush=True)

    def await_log(self, words):
        deadline = time.monotonic() + PATIENCE_S
        while words not in (self.broker.home / "broker.log").read_text():
            if time.monotonic() > deadline:
                raise AssertionError(f"the broker does not say {words!r}: "
                                     + self.broker.last_words())
            time.sleep(0.05)

    def leat_says(self, *words):
        done = subprocess.run([self.leat, *words], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        if done.returncode != 0:
            raise AssertionError(f"leat {' '.join(words)}: {done.stderr}")
        return done.stdout

    def all_leave(self):
        for member in self.members:
            member.leave()
        self.members = []

    def the_operator_decides(self):
        one, two = self.member("orders-1", "alpha"), self.member("orders-1", "beta")
        other = self.member("plain", "alpha"), self.member("plain", "beta")
        self.await_("the operator's assignor", (one, ALL), (two, []))
        self.await_("the leader's", (other[0], [0, 1]), (other[1], [2, 3]))
        self.all_leave()

    def cooperative_members_hand_over(self):
        one = self.member("orders-2", "beta", "cooperative-sticky")
        self.await_("one cooperative member", (one, ALL))
        two = self.member("orders-2", "alpha", "cooperative-sticky")
        self.await_("it has handed all over", (one, []), (two, ALL))
        self.await_log("4 partitions wait for who holds them")
        self.all_leave()

    def a_reload_counts_from_the_next_rebalance_on(self):
        one, two = self.member("orders-3", "alpha"), self.member("orders-3", "beta")
        self.await_("before the reload", (one, ALL), (two, []))
        self.install("takes_all_last.so")
        said = self.leat_says("plugins", "reload", "one_takes_all",
                              "--config", str(self.broker.config))
        assert "one_takes_all: version 1.0.0 of " in said, said
        three = self.member("orders-3", "gamma")
        self.await_("after the reload", (one, []), (two, []), (three, ALL))
        self.await_log("group orders-3 has generation 2 with 3 members")
        self.all_leave()

    def trouble_costs_a_group_nothing(self):
        for group, failure in (("throwing", "threw: cannot count to two"), ("lying", "twice"),
                               ("hanging", "took longer than 500 ms")):
            one, two = self.member(group, "alpha"), self.member(group, "beta")
            self.await_(f"the built-in assignor for {group}", (one, [0, 1]), (two, [2, 3]))
            self.await_log(f"group assignor failed assignor={group} group={group}")
            self.await_log(failure)
            self.all_leave()
        metrics = self.leat_says("admin", "metrics", "--config", str(self.broker.config))
        for name in ("throwing", "lying", "hanging"):
            line = f'leat_plugin_errors_total{{kind="assignment",instance="{name}"}} '
            count = re.search(re.escape(line) + r"(\d+)", metrics)
            assert count and int(count[1]) >= 1, f"{name} is not counted"

    def run(self):
        self.broker.start()
        try:
            subprocess.run([self.leat, "topic", "create", "t", "--partitions", str(PARTITIONS),
                            "--broker", self.broker.bootstrap], check=True, timeout=PATIENCE_S,
                           stdout=subprocess.DEVNULL)
            self.the_operator_decides()
            self.cooperative_members_hand_over()
            self.a_reload_counts_from_the_next_rebalance_on()
            self.trouble_costs_a_group_nothing()
            self.broker.stop()
            code = self.broker.process.returncode
            assert code == 0, f"with a hung assignor, the broker ended with {code}"
            self.await_log("stopped cleanly")
        finally:
            for member in self.members:
                member.process.kill()
            self.broker.stop()
            self.broker.remove()
            shutil.rmtree(self.plugins, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", required=True)
    parser.add_argument("--libraries", required=True)
    Story(parser.parse_args()).run()


if __name__ == "__main__":
    main()
