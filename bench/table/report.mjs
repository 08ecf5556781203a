// What was measured, as Markdown tables and plots.
import { cpus, release, totalmem } from "node:os";
import { plot } from "./svg.mjs";

const kTitles = {
  reference: "**mcp-assay reference server**",
  tapped: "... through `mcp-assay tap`",
  catted: "... through `cat`, both ways",
  sdk: "TypeScript SDK, minimal",
  everything: "server-everything",
  echo: "echo (`cat`)",
  httplib: "bare cpp-httplib handler",
  nginx: "nginx, a constant",
  ours: "**mcp-assay bench**",
  wrk: "wrk",
};

const count = (value) => Math.round(value).toLocaleString("en-US");
const time = (us) =>
  us == null || Number.isNaN(us) ? "-" : us < 1000 ? `${us.toPrecision(3)} us` : `${(us / 1000).toPrecision(3)} ms`;
const nanoseconds = (ns) =>
  ns == null ? "-" : ns < 100 ? ns.toFixed(1) : count(ns);
const ratio = (value) => (value >= 100 ? count(value) : value.toPrecision(3));

const table = (head, rows) =>
  [head, head.map((_, index) => (index === 0 ? "---" : "---:")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");

export function machine(results, timing, commit) {
  const processor = cpus()[0].model.trim();
  const node = process.version;
  return (
    `Measured ${results.started.slice(0, 10)} at commit ${commit} on ${cpus().length} cores (${processor}), ` +
    `${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}, Node.js ${node}. Medians of ${timing.rounds} ` +
    `rounds of ${timing.seconds} s, taken in turns. Load of the machine (1 minute) before: ` +
    `${results.loadBefore.toFixed(1)}, after: ${results.loadAfter.toFixed(1)}; idle it would be 0, and the ` +
    `measurement itself makes about 2 of it.`
  );
}

// The goals of the project, each with what was found; beside it the same ratio in CPU time, which other
// work on the machine disturbs less.
export function goals({ stdio, http, micro }) {
  const rows = [];
  const goal = (text, least, found, byCpu) => {
    const holds = least >= 0 ? found >= least : found <= -least;
    const wanted = `${least >= 0 ? "at least" : "at most"} ${Math.abs(least)}`;
    rows.push([text, wanted, ratio(found), byCpu ? ratio(byCpu) : "", holds ? "yes" : "**no**"]);
  };
  const servers = (text, least, group, left, right) =>
    goal(text, least, group[left].throughput / group[right].throughput, group[right].serverCpu / group[left].serverCpu);
  for (const input of ["ping", "tools_call"]) {
    goal(`decode / simdjson's DOM parse, ${input}`, -2.5, micro[`decode/${input}`] / micro[`simdjson_alone/${input}`]);
    goal(`nlohmann's parse / decode, ${input}`, 5, micro[`nlohmann_alone/${input}`] / micro[`decode/${input}`]);
  }
  servers("stdio, pipelined: reference / TypeScript SDK", 10, stdio.pipelined, "reference", "sdk");
  servers("stdio, one at a time: reference / TypeScript SDK", 3, stdio.sequential, "reference", "sdk");
  servers("stdio, one at a time: reference / echo", 0.5, stdio.sequential, "reference", "echo");
  goal("stdio, one at a time: microseconds that tap adds", -50, stdio.sequential.tapped.p50 - stdio.sequential.reference.p50);
  servers("HTTP, 16 connections: reference / TypeScript SDK", 10, http.pings, "reference", "sdk");
  servers("HTTP, 16 connections: reference / bare cpp-httplib", 0.7, http.pings, "reference", "httplib");
  servers("HTTP, 16 connections: reference / nginx, a constant", 0.8, http.pings, "reference", "nginx");
  servers("HTTP: 1,000 sessions / 16 sessions", 0.9, http.sessions, "1000", "16");
  const { ours, wrk } = http.generators;
  goal("requests to nginx: bench / wrk", 0.8, ours.throughput / wrk.throughput, wrk.ownCpu / ours.ownCpu);
  return table(["goal", "wanted", "found", "in CPU time", "holds"], rows);
}

function group(title, results, keys, base) {
  const rows = keys.map((key) => {
    const row = results[key];
    return [
      kTitles[key] ?? key,
      count(row.throughput),
      ratio(row.throughput / results[base].throughput),
      time(row.p50),
      time(row.p99),
      time(row.serverCpu),
      time(row.ownCpu),
      row.peakBytes == null ? "-" : `${(row.peakBytes / 1e6).toFixed(0)} MB`,
      String(row.errors),
    ];
  });
  const head = ["", "answers/s", "ratio", "p50", "p99", "CPU each, server", "... generator", "memory", "errors"];
  return `**${title}**\n\n${table(head, rows)}`;
}

const kInputs = [
  ["ping", "ping (40 B)"],
  ["tools_call", "tools/call (327 B)"],
  ["result_1k", "result (1 KB)"],
  ["tools_1000", "1,000 tools (249 KB)"],
  ["resource_10mb", "resource (10 MB)"],
];

function microTable(micro) {
  const row = (title, name) => [title, ...kInputs.map(([input]) => nanoseconds(micro[`${name}/${input}`]))];
  const quotient = (title, left, right) => [
    title,
    ...kInputs.map(([input]) => ratio(micro[`${left}/${input}`] / micro[`${right}/${input}`])),
  ];
  return table(["CPU nanoseconds", ...kInputs.map(([, title]) => title)], [
    row("memchr", "memchr_alone"),
    row("simdjson's DOM parse", "simdjson_alone"),
    row("**decode and classify**", "decode"),
    row("... with the DOM", "decode_with_dom"),
    row("nlohmann's parse", "nlohmann_alone"),
    quotient("decode / simdjson", "decode", "simdjson_alone"),
    quotient("nlohmann / decode", "nlohmann_alone", "decode"),
    row("encode", "encode"),
    row("answer with a result of that size", "answer"),
    row("append to a transcript", "append"),
  ]);
}

function pathTable(micro) {
  return table(
    ["", "CPU nanoseconds"],
    [
      ["dispatch a ping: bytes in, handler, bytes out", nanoseconds(micro.dispatch_ping)],
      ["dispatch a tools/call", nanoseconds(micro.dispatch_tools_call)],
      ["all monitors, per event", nanoseconds(micro["watch_per_event/event"])],
    ],
  );
}

export function tables({ stdio, http, micro }) {
  return [
    group("stdio, one ping at a time", stdio.sequential, ["reference", "tapped", "catted", "sdk", "everything", "echo"], "reference"),
    group("stdio, 64 pings at a time", stdio.pipelined, ["reference", "tapped", "catted", "sdk", "everything", "echo"], "reference"),
    group("stdio, 64 calls of a tool at a time", stdio.calls, ["reference", "sdk"], "reference"),
    group("HTTP, 16 connections, pings", http.pings, ["reference", "sdk", "everything", "httplib", "nginx"], "reference"),
    group("HTTP, 16 connections, open sessions", http.sessions, ["16", "100", "1000"], "16"),
    group("Load generators, nginx, 16 connections", http.generators, ["ours", "wrk"], "wrk"),
    `**Parsers**\n\n${microTable(micro)}`,
    `**Paths**\n\n${pathTable(micro)}`,
  ].join("\n\n");
}

export function plots({ http }) {
  const plain = (key) => kTitles[key].replace(/\*/g, "").replace("mcp-assay ", "");
  return {
    "throughput-by-connections": plot({
      title: "HTTP: pings per second against connections",
      xTitle: "connections",
      yTitle: "answers per second",
      xTicks: [1, 4, 16, 64],
      series: Object.entries(http.byConnections).map(([key, points]) => ({ name: plain(key), points })),
    }),
    "latency-by-rate": plot({
      title: "HTTP: latency against rate, 16 connections",
      xTitle: "pings due per second",
      yTitle: "latency, us",
      series: Object.entries(http.byRate).flatMap(([key, points], index) => [
        { name: `${plain(key)}, p50`, colour: index, points: points.map(([rate, p50]) => [rate, p50]) },
        { name: `${plain(key)}, p99`, colour: index, isDashed: true, points: points.map(([rate, , p99]) => [rate, p99]) },
      ]),
    }),
  };
}
