// The whole measurement behind ci/bench: node bench/table/main.mjs INTEROP_FOLDER [--record] [--quick]
//
// What is compared is measured in turns, round after round, so that a machine that becomes busy is busy
// for all of them; medians and their ratios are what counts.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { bench, median, micro, wrk } from "./measure.mjs";
import { startHttpPeers, stdioPeers } from "./peers.mjs";
import { goals, machine, plots, tables } from "./report.mjs";

const [interop, ...words] = process.argv.slice(2);
const unknown = words.find((word) => word !== "--record" && word !== "--quick");
if (unknown || (words.includes("--record") && words.includes("--quick"))) {
  console.error(unknown ? `ci/bench: unknown option '${unknown}'` : "ci/bench: a quick run is not recorded");
  process.exit(2);
}
const isQuick = words.includes("--quick");
const timing = isQuick
  ? { rounds: 1, seconds: 0.3, warmUp: 0.2, microSeconds: 0.005 }
  : { rounds: 5, seconds: 1, warmUp: 0.5, microSeconds: 0.02 };
const bin = "build/release/bin";
const folder = "build/bench";
const kConnections = 16;

const say = (text) => process.stderr.write(`ci/bench: ${text}\n`);

// Medians of each key's results over the rounds, which take all keys in turn.
async function inTurns(title, subjects) {
  say(title);
  const found = Object.fromEntries(Object.keys(subjects).map((key) => [key, []]));
  for (let round = 0; round < timing.rounds; ++round) {
    for (const [key, measure] of Object.entries(subjects)) found[key].push(await measure());
  }
  const middle = (results, name) => {
    const values = results.map((result) => result[name]).filter((value) => value != null);
    return values.length ? median(values) : null;
  };
  return Object.fromEntries(
    Object.entries(found).map(([key, results]) => [
      key,
      {
        ...Object.fromEntries(Object.keys(results[0]).map((name) => [name, middle(results, name)])),
        errors: Math.max(...results.map((result) => result.errors)),
      },
    ]),
  );
}

const subjects = (peers, options, keys = Object.keys(peers)) =>
  Object.fromEntries(keys.map((key) => [key, () => bench(bin, peers[key], options, timing)]));

async function measureStdio() {
  const peers = stdioPeers(bin, interop);
  const mix = `${folder}/call.yaml`;
  writeFileSync(mix, "requests:\n  - method: tools/call\n    params: {name: test_simple_text, arguments: {}}\n");
  return {
    sequential: await inTurns("stdio, one ping at a time", subjects(peers, [])),
    pipelined: await inTurns("stdio, 64 pings at a time", subjects(peers, ["--pipeline", "64"])),
    calls: await inTurns(
      "stdio, 64 calls of a tool at a time",
      subjects(peers, ["--pipeline", "64", "--mix", mix], ["reference", "sdk"]),
    ),
  };
}

async function measureHttp(peers) {
  const connections = (count) => ["--connections", String(count)];
  const results = {
    pings: await inTurns(
      `HTTP, ${kConnections} connections, pings`, subjects(peers, connections(kConnections))),
    sessions: await inTurns(
      "HTTP, open sessions",
      Object.fromEntries(
        [16, 100, 1000].map((count) => [
          count,
          () =>
            bench(bin, peers.reference,
              [...connections(kConnections), "--sessions", String(count)], timing),
        ]),
      ),
    ),
    generators: await inTurns("load generators on nginx", {
      ours: () => bench(bin, peers.nginx, connections(kConnections), timing),
      wrk: () => wrk(peers.nginx.url, kConnections, timing, folder),
    }),
  };
  say("throughput against connections");
  results.byConnections = {};
  const brief = { ...timing, seconds: timing.seconds * 0.7, warmUp: timing.warmUp * 0.6 };
  for (const count of [1, 4, 16, 64]) {
    for (const key of ["reference", "sdk", "httplib", "nginx"]) {
      const { throughput } = await bench(bin, peers[key], connections(count), brief);
      (results.byConnections[key] ??= []).push([count, throughput]);
    }
  }
  say("latency against rate");
  results.byRate = {};
  for (const key of ["reference", "sdk"]) {
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const rate = Math.round(results.pings[key].throughput * share);
      const found = await bench(bin, peers[key], [...connections(kConnections), "--rate", String(rate)], brief);
      (results.byRate[key] ??= []).push([rate, found.p50, found.p99]);
    }
  }
  return results;
}

const wire = "(memchr_alone|simdjson_alone|decode|decode_with_dom|nlohmann_alone|encode)/";
const dispatch = "^(dispatch_|watch_per_event|append/ping|append/tools_call|append/result|answer/)";

async function measureAll() {
  const peers = await startHttpPeers(bin, interop);
  try {
    const results = { loadBefore: loadavg()[0], started: new Date().toISOString() };
    results.http = await measureHttp(peers);
    Object.values(peers).forEach((peer) => peer.stop());
    results.stdio = await measureStdio();
    say("parsers and dispatch");
    results.micro = {
      ...(await micro(`${bin}/assay_wire_bench`, wire, timing)),
      ...(await micro(`${bin}/assay_dispatch_bench`, dispatch, timing)),
    };
    results.loadAfter = loadavg()[0];
    return results;
  } finally {
    Object.values(peers).forEach((peer) => peer.stop());
  }
}

mkdirSync(folder, { recursive: true });
const results = await measureAll();
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
const text = `${machine(results, timing, commit)}\n\n${goals(results)}\n\n${tables(results)}`;
writeFileSync(`${folder}/results.json`, JSON.stringify(results, null, 1) + "\n");
writeFileSync(`${folder}/table.md`, text + "\n");
const drawn = plots(results);
for (const [name, svg] of Object.entries(drawn)) writeFileSync(`${folder}/${name}.svg`, svg);
console.log(text);

if (words.includes("--record")) {
  const readme = readFileSync("bench/README.md", "utf8");
  const marks = /(<!-- measured by ci\/bench: begin -->\n)[\s\S]*(<!-- measured by ci\/bench: end -->)/;
  if (!marks.test(readme)) throw new Error("bench/README.md has no place for the table");
  writeFileSync("bench/README.md", readme.replace(marks, (_, begin, end) => `${begin}\n${text}\n\n${end}`));
  mkdirSync("bench/plots", { recursive: true });
  for (const [name, svg] of Object.entries(drawn)) writeFileSync(`bench/plots/${name}.svg`, svg);
  say("recorded in bench/README.md and bench/plots");
}
