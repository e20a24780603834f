#!/usr/bin/env python3
"""What a broker under load tells is read by Prometheus' own parser, is what docs/metrics.md lists, and
adds up.

usage: prometheus.py LEAT LOAD METRICS_PAGE
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("python3-prometheus-client is not installed")
    sys.exit(77)

CONFIG = """
[[listener]]
name = "plain"
bind = "127.0.0.1:0"
[network]
shards = 2
[http]
listen = "127.0.0.1:0"
[topic_defaults]
flush = "each"
"""


def scrape(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


def counters(families):
    return {(sample.name, *sorted(sample.labels.items())): sample.value
            for family in families.values() if family.type in ("counter", "histogram")
            for sample in family.samples}


def check_histogram(family):
    by_labels = {}
    for sample in family.samples:
        labels = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
        by_labels.setdefault(labels, []).append(sample)
    for samples in by_labels.values():
        buckets = [s for s in samples if s.name.endswith("_bucket")]
        counts = [s.value for s in buckets]
        assert counts == sorted(counts), f"{family.name}: buckets fall"
        ends = [float(s.labels["le"]) for s in buckets]
        assert ends == sorted(set(ends)) and ends[-1] == float("inf"), f"{family.name}: {ends}"
        count = next(s.value for s in samples if s.name.endswith("_count"))
        assert count == counts[-1], f"{family.name}: {count} is not {counts[-1]}"


def check_listed(families, page):
    listed = set(re.findall(r"^\| `((?:leat|process)_\w+)` \|", page.read_text(), re.M))
    told = {name + ("_total" if family.type == "counter" else "")
            for name, family in families.items()}
    assert told == listed, f"only told {told - listed}, only listed {listed - told}"
    for family in families.values():
        assert family.documentation and family.type != "unknown", family.name


def watch(broker, load, page):
    said = broker.stdout
    kafka = http = None
    for line in said:
        found = re.match(r"listening on 127.0.0.1:(\d+) \((.*)\)", line)
        if found and found[2] == "[http]":
            http = int(found[1])
        elif found:
            kafka = int(found[1])
        if line == "ready\n":
            break
    assert kafka and http, "the broker did not start"
    loading = subprocess.Popen(
        [load, "--broker", f"127.0.0.1:{kafka}", "--pid", str(broker.pid), "--call", "produce",
         "--connections", "4", "--partitions", "4", "--acks", "-1", "--seconds", "2",
         "--warm-up", "1", "--topic", "t", "--keep", "yes"], stdout=subprocess.PIPE, text=True)
    before, scrapes = {}, 0
    while loading.poll() is None or scrapes < 3:
        families = scrape(http)
        now = counters(families)
        fallen = [name for name, value in before.items() if now.get(name, 0) < value]
        assert not fallen, f"counters that fell: {fallen}"
        before, scrapes = now, scrapes + 1
    result = json.loads(loading.stdout.read().splitlines()[-1])
    assert loading.returncode == 0, result
    families = scrape(http)
    for family in families.values():
        if family.type == "histogram":
            check_histogram(family)
    check_listed(families, page)
    value = {(s.name, *s.labels.values()): s.value for f in families.values() for s in f.samples}
    records = value["leat_topic_produced_records_total", "t"]
    assert records >= result["records_s"] * result["seconds"] * 0.99, (records, result)
    assert value["leat_log_sync_duration_seconds_count", "disk"] > 0
    assert value["leat_request_duration_seconds_count", "Produce"] > 0
    print(f"{scrapes} scrapes under load, {len(families)} metrics, {int(records)} records")


def main():
    leat, load, page = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "broker.toml"
        config.write_text(CONFIG)
        broker = subprocess.Popen([leat, "serve", str(config)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            watch(broker, load, page)
        finally:
            broker.send_signal(signal.SIGTERM)
            broker.wait(30)


main()
