#!/usr/bin/env python3
"""Runs every client against one broker: each writes, with every codec and acks it has, what each of
the others then reads, byte for byte; seeks; creates and deletes topics; sends a record that is too
large; goes on after the broker was killed. Prints one table; exit 1 if a cell of it failed.

    matrix.py --leat build/dev/leat --rdkafka-client build/dev/tests/real_clients/rdkafka_client
    matrix.py --apache JARS --leat-commands build/dev/leat --only kcat,leat ...
    matrix.py --bootstrap 127.0.0.1:9092 [--broker-command 'java ... kafka.Kafka x.properties'] ...

More clients: --program NAME='COMMAND' (see tests/real_clients/README.md), --console COMMAND.
"""
import argparse
import functools
import pathlib
import shlex
import sys
import time

import broker as brokers
from apache import ApacheKafka
from clients import Program
from console import Console
from kcat import Kcat
from leat_commands import LeatCommands
from omkafka import Omkafka
from steps import Steps
from table import Table

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent / "real_clients"
DEBIAN_PYTHON = "/usr/bin/python3"  # The one that sees Debian's python3-* packages.


def add_client_arguments(parser):
    parser.add_argument("--rdkafka-client", help="the built tests/real_clients/rdkafka_client")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--console", metavar="COMMAND", help="runs ConsoleTools (scripts/interop)")
    parser.add_argument("--omkafka", action="store_true", help="rsyslogd and its omkafka are there")
    parser.add_argument("--leat-commands", metavar="BINARY",
                        help="whose produce, consume and topic are a client (default: --leat)")
    parser.add_argument("--only", help="names of clients, with commas between them")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leat", help="the leat binary to start and kill")
    parser.add_argument("--plugins", help="its plugin folder (default: plugins beside the binary)")
    parser.add_argument("--apache", metavar="JARS", help="starts and kills an Apache Kafka instead")
    parser.add_argument("--bootstrap", help="HOST:PORT of another broker")
    parser.add_argument("--broker-command", help="starts that broker, so that it can be killed")
    add_client_arguments(parser)
    parser.add_argument("--sample", type=int, metavar="N",
                        help="N clients read each partition, not all (see Steps.draw_readers)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true", help="keep Leat's data and log")
    return parser.parse_args()


def make_broker(options):
    if options.leat:
        binary = pathlib.Path(options.leat).resolve()
        return brokers.Leat(binary, options.plugins or binary.parent / "plugins")
    if options.apache:
        return ApacheKafka(options.apache)
    if options.broker_command:
        return brokers.Command(shlex.split(options.broker_command), options.bootstrap)
    if options.bootstrap:
        return brokers.Running(options.bootstrap)
    sys.exit("matrix.py: name a broker: --leat BINARY, --apache JARS or --bootstrap HOST:PORT")


def client_makers(options):
    """Ident -> what makes that client for a HOST:PORT. The librdkafka program comes first: it also
    makes the topics that all share."""
    commands = {"rdkafka": [options.rdkafka_client],
                "confluent-python": [DEBIAN_PYTHON, CLIENTS / "confluent_client.py"],
                "kafka-python": [DEBIAN_PYTHON, CLIENTS / "kafka_python_client.py"]}
    for program in options.program:
        name, command = program.split("=", 1)
        commands[name] = shlex.split(command)
    makers = {name: functools.partial(Program, name, list(map(str, command)))
              for name, command in commands.items()} | {"kcat": Kcat}
    leat = options.leat_commands or options.leat
    if leat:
        makers["leat"] = functools.partial(LeatCommands, pathlib.Path(leat).resolve())
    if options.console:
        makers["console"] = functools.partial(Console, shlex.split(options.console))
    if options.omkafka:
        makers["omkafka"] = Omkafka
    wanted = options.only.split(",") + ["rdkafka"] if options.only else list(makers)
    return {name: make for name, make in makers.items() if name in wanted}


def main():
    options = parse_arguments()
    began = time.monotonic()
    broker = make_broker(options)
    clients = []
    try:
        broker.start()
        clients = [make(broker.bootstrap) for make in client_makers(options).values()]
        table = Table("leat" if options.leat else broker.bootstrap)
        for client in clients:
            table.add_row(client.ident, client.name)
        Steps(broker, clients, table, options.seed, options.sample).run()
    finally:
        for client in clients:
            client.close()
        broker.stop()
        if (options.leat or options.apache) and not options.keep:
            broker.remove()
    print(table.text())
    if options.json:
        options.json.write_text(table.json())
    if options.markdown:
        options.markdown.write_text(table.markdown())
    failures = list(table.failures())
    for cell, problem in failures:
        print(f"FAILED {cell}: {problem}")
    print(f"{len(clients)} clients, seed {options.seed}, {time.monotonic() - began:.0f} s:",
          f"{len(failures)} cells failed" if failures else "every cell passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
