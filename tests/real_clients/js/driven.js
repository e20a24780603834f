// The commands of a JavaScript client: reads them from standard input, answers on standard output.
//
// A client has a method for each command, named as in ../README.md; what several clients share is here.
// The libraries are found by NODE_PATH, for they are kept outside this folder.
const fs = require("node:fs");
const readline = require("node:readline");
const { setTimeout: pause } = require("node:timers/promises");

const BATCH = 20; // Records of endure that are sent at once: these libraries do not gather by themselves.
const PACE_MS = 2; // The load of endure is to last until the broker was killed under it.

const toField = (bytes) => (bytes == null ? "null" : "x" + Buffer.from(bytes).toString("hex"));
const toBytes = (field) => (field === "null" ? null : Buffer.from(field.slice(1), "hex"));

let lines = [];

function flush() {
  process.stdout.write(lines.map((line) => line + "\n").join(""));
  lines = [];
}

function say(...words) {
  lines.push(["=", ...words].join(" "));
}

// headers: pairs of name and value.
function sayRecord(offset, timestamp, key, value, headers) {
  const fields = headers.map(([name, data]) => `${toField(name)}:${toField(data)}`);
  say(offset, timestamp, toField(key), toField(value), ...fields);
}

function readRecords(path) {
  return fs.readFileSync(path, "utf8").trimEnd().split("\n").map((line) => {
    const [timestamp, key, value, ...headers] = line.split(" ");
    return { timestamp: Number(timestamp), key: toBytes(key), value: toBytes(value),
      headers: headers.map((pair) => pair.split(":").map(toBytes)) };
  });
}

// send(records) resolves to the offset of the first of them.
async function endure(count, send) {
  const results = [];
  for (let first = 0; first < count; first += BATCH) {
    const records = [];
    for (let index = first; index < Math.min(count, first + BATCH); ++index) {
      records.push({ timestamp: Date.now(), key: Buffer.from(`${index}`),
        value: Buffer.from(`endure ${index}`), headers: [] });
    }
    await pause(PACE_MS * records.length);
    try {
      const base = Number(await send(records));
      records.forEach((_, n) => results.push(["acked", first + n, base < 0 ? -1 : base + n]));
    } catch (problem) {
      records.forEach((_, n) => results.push(["failed", first + n, words(problem)]));
    }
    if ((first + records.length) % 100 === 0) {
      say("progress", first + records.length);
      flush();
    }
  }
  results.forEach((result) => say(...result));
}

// Resolves when the file is there.
async function appears(file) {
  while (!fs.existsSync(file)) {
    await pause(50);
  }
}

// A record that a member of a group has read.
function sayRead(partition, offset) {
  say(partition, offset);
  flush();
}

// The names and texts of an error and of those within it, in one line.
function words(problem) {
  const inner = problem.errors ?? (problem.cause ? [problem.cause] : []);
  return [problem.type ?? problem.apiId ?? problem.name, problem.message, ...inner.map(words)]
    .join(" ").replaceAll("\n", " ");
}

async function run(client) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [command, ...rest] = line.split(" ");
    try {
      await client[command](...rest);
      lines.push("ok");
    } catch (problem) {
      lines.push("error " + words(problem));
    }
    flush();
  }
  process.exit(0);
}

module.exports = { appears, endure, readRecords, run, say, sayRead, sayRecord, words };
