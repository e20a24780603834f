"""One side of a comparison: asks a broker and keeps a transcript of its answers, made comparable."""
import re
import socket
import struct
import time
import uuid

from batches import read_batches
from kafka_messages import Malformed

PATIENCE_S = 5
# By what the members of a list are told apart, for brokers list them in an order of their own.
KEYS = {"ApiKeys": ["ApiKey"], "Topics": ["Name", "Topic"], "Configs": ["Name"],
        "Results": ["ResourceName", "Name", "GroupId"],
        "ReplicaElectionResults": ["Topic"], "PartitionResult": ["PartitionId"],
        "SupportedFeatures": ["Name"], "FinalizedFeatures": ["Name"],
        "Responses": ["Name", "Topic"], "Partitions": ["PartitionIndex", "Partition"],
        "PartitionResponses": ["Index"], "RecordErrors": ["BatchIndex"], "Brokers": ["NodeId"],
        "Synonyms": ["Source"], "TopicConfigErrors": ["Name"], "Coordinators": ["Key"],
        "Groups": ["GroupId"], "TopicPartitions": ["TopicId"]}
NOBODY = str(uuid.UUID(int=0))


LAST_CHANGE = "cmp-last-change"  # A topic; its retention says which it was.


class Closed(Exception):
    """The broker closed the connection."""


class Session:
    """A connection, opened again where the broker closed it. Each step's answer goes into `steps`,
    under its own words."""

    def __init__(self, messages, bootstrap, now):
        self.messages, self.bootstrap, self.now = messages, bootstrap, now
        self.host, port = bootstrap.rsplit(":", 1)
        self.port, self.connection, self.correlation = int(port), None, 0
        self.steps = {}
        self.changes = 0  # That were waited for.
        self.members = {}  # Ids that the broker made, and their names here.
        self.topics = {}  # Ids of those that were made here, and their names.

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def send_frame(self, frame):
        if self.connection is None:
            self.connection = socket.create_connection((self.host, self.port), PATIENCE_S)
        self.connection.sendall(struct.pack(">i", len(frame)) + frame)

    def receive_frame(self):
        size, = struct.unpack(">i", self.receive(4))
        return self.receive(size)

    def receive(self, size):
        data = b""
        while len(data) < size:
            try:
                more = self.connection.recv(size - len(data))
            except ConnectionResetError:
                more = b""
            if not more:
                self.close()
                raise Closed
            data += more
        return data

    def send(self, api, version, message):
        self.correlation += 1
        self.send_frame(self.messages.request(api, version, self.correlation, message))
        return api, version, self.correlation

    def answer_to(self, sent, decode_as=None):
        api, version, correlation = sent
        try:
            data = self.receive_frame()
            got, message = self.messages.response(api, decode_as if decode_as is not None
                                                  else version, data)
        except Closed:
            return {"connection": "closed"}
        except TimeoutError:
            self.close()
            return {"connection": "silent"}
        except Malformed as problem:
            self.close()
            return {"malformed": str(problem)}
        return message if got == correlation else {"answered out of turn": got - correlation}

    def quietly(self, api, version, message):
        """Asks without writing it down."""
        return self.answer_to(self.send(api, version, message))

    def ask(self, words, api, version, message, decode_as=None):
        answer = self.answer_to(self.send(api, version, message), decode_as)
        self.note(f"{words} (v{version})", answer)
        return answer

    def note(self, words, answer):
        assert words not in self.steps, words
        self.steps[words] = self.comparable(answer)

    def topic(self, name, partitions=1, **configs):
        """Makes a topic and waits until it can be used, which at Apache Kafka is a moment later."""
        self.quietly("CreateTopics", 7, {"timeoutMs": 10_000, "Topics": [
            {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1,
             "Configs": [{"Name": key.replace("_", "."), "Value": value}
                         for key, value in configs.items()]}]})
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self.quietly("ListOffsets", 6, {"ReplicaId": -1, "Topics": [
                {"Name": name, "Partitions": [{"PartitionIndex": n, "Timestamp": -1}
                                              for n in range(partitions)]}]})
            if all(p["ErrorCode"] == 0 for t in answer["Topics"] for p in t["Partitions"]):
                found = self.quietly("Metadata", 12, {"Topics": [{"Name": name}]})
                self.topics[found["Topics"][0]["TopicId"]] = name
                return found["Topics"][0]["TopicId"]
            time.sleep(0.05)
        raise RuntimeError(f"topic {name} does not become usable")

    def catch_up(self):
        """Waits until the broker acts by every change that it has answered. Apache Kafka's follows its
        controller a moment later, in the order of the changes: when the last one shows, all do."""
        self.changes += 1
        if self.changes == 1:
            self.topic(LAST_CHANGE)
        mark = str(time.time_ns())
        self.quietly("IncrementalAlterConfigs", 1, {"Resources": [
            {"ResourceType": 2, "ResourceName": LAST_CHANGE, "Configs": [
                {"Name": "retention.ms", "ConfigOperation": 0, "Value": mark}]}]})
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self.quietly("DescribeConfigs", 4, {"Resources": [
                {"ResourceType": 2, "ResourceName": LAST_CHANGE,
                 "ConfigurationKeys": ["retention.ms"]}]})
            if answer["Results"][0]["Configs"][0]["Value"] == mark:
                return
            time.sleep(0.01)
        raise RuntimeError("a change is answered and never shows")

    def producer_id(self):
        """A new one. Apache Kafka answers 14 until it has fetched its first block of them."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self.quietly("InitProducerId", 4, {"TransactionalId": None,
                                                        "TransactionTimeoutMs": 60_000})
            if answer.get("ErrorCode") != 14:
                return answer.get("ProducerId")
            time.sleep(0.05)
        raise RuntimeError("no producer id to be had")

    def comparable(self, value, name=""):
        """What two brokers may rightly differ in becomes a word: identities, addresses, the texts of
        errors, the time of day. Lists with names become dicts, so that order does not matter."""
        if isinstance(value, dict) and "MinVersion" in value and "ApiKey" in value:
            return f"{value['MinVersion']}-{value['MaxVersion']}"
        if isinstance(value, dict):
            return {key: self.comparable(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return self.comparable_list(value, name)
        if name == "Records" and value is not None:
            return [self.comparable(each, "Batch") for each in read_batches(value)]
        if isinstance(value, (bytes, bytearray)):
            return value.hex()
        return self.comparable_leaf(value, name)

    def comparable_leaf(self, value, name):
        if name in ("MemberId", "Leader") and re.search(r"[0-9a-f-]{36}$", value or ""):
            return self.members.setdefault(value, f"member {len(self.members)}, {value[:-37]}")
        if name in ("MemberId", "Leader") and re.fullmatch("[A-Za-z0-9_-]{22}", value or ""):
            return self.members.setdefault(value, f"member {len(self.members)}")
        if name == "TopicId":
            return "no id" if value == NOBODY else self.topics.get(value, "an id")
        if name in ("ErrorMessage", "BatchIndexErrorMessage", "Documentation"):
            return "some text" if value else value
        if name == "SessionId":
            return "an id" if value else "no id"
        if name == "FinalizedFeaturesEpoch" and value >= 0:
            return "an epoch"
        if name == "ClusterId":
            return "an id" if value else value
        if name == "LogDir":
            return "a folder"
        if name in ("TotalBytes", "UsableBytes") and value > 0:
            return "some bytes"
        if (name, value) in (("Host", self.host), ("Port", self.port)):
            return "as dialled"
        if name in ("ProducerId", "producer_id") and value >= 0:
            return "an id"
        if name in ("LogAppendTimeMs", "max_timestamp") and abs(value - time.time() * 1000) < 60_000:
            return "just now"
        if isinstance(value, int) and abs(value - self.now) < 30_000 and "imestamp" in name:
            return f"T{value - self.now:+}"
        return value

    def comparable_list(self, values, name):
        key = next((k for k in KEYS.get(name, ()) if all(
            isinstance(v, dict) and v.get(k) is not None for v in values)), None)
        named = ({str(self.comparable(v[key], key)): self.comparable(v) for v in values}
                 if key and values else {})
        if len(named) == len(values):
            return named
        if name == "SubscribedTopicNames":
            return sorted(values)  # A set.
        if name == "Members":
            return sorted((self.comparable(each) for each in values), key=str)
        return [self.comparable(value, re.sub("s$", "", name)) for value in values]
