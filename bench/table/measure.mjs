// One measurement: ours, wrk's, or Google Benchmark's.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
const kMaxBytes = 64 << 20;
const kTickMicros = 10_000; // of /proc/PID/stat, on every Linux

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

// CPU of a process and its children so far, in microseconds.
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const ticks = Number(fields[11]) + Number(fields[12]);
  return children
    .split(" ")
    .filter(Boolean)
    .reduce((sum, child) => sum + cpuOf(child), ticks * kTickMicros);
}

// Failed requests (status 1) are in the result, and told by the table.
export async function bench(bin, peer, options, timing) {
  const target = peer.url ? ["--url", peer.url] : ["--", ...peer.command];
  const words = ["bench", "--quiet", "--report", "json=-"];
  words.push("--time", String(timing.seconds), "--warm-up", String(timing.warmUp));
  if (peer.isPlain) words.push("--plain");
  const cpuBefore = peer.pid ? cpuOf(peer.pid) : 0;
  const { stdout } = await run(`${bin}/mcp-assay`, [...words, ...options, ...target], {
    maxBuffer: kMaxBytes,
  }).catch((error) => {
    if (error.code === 1 && error.stdout) return error;
    throw new Error(`${peer.title}: ${error.stderr || error.message}`);
  });
  const result = JSON.parse(stdout);
  // A server of its own was busy in the warm-up too.
  const all = result.throughput * (timing.seconds + timing.warmUp);
  const cpuOutside = peer.pid && all ? (cpuOf(peer.pid) - cpuBefore) / all : null;
  const errors = Object.values(result.errors).reduce((sum, times) => sum + times, 0);
  return {
    throughput: result.throughput,
    p50: result.latency_us.p50,
    p99: result.latency_us["p99"],
    errors,
    serverCpu: result.server_cpu_seconds === undefined || !result.answers
      ? cpuOutside : (1e6 * result.server_cpu_seconds) / result.answers,
    ownCpu: result.answers ? (1e6 * result.own_cpu_seconds) / result.answers : null,
    peakBytes: result.server_peak_bytes ?? null,
  };
}

const kUnits = { us: 1, ms: 1e3, s: 1e6 };

// The same request from wrk, on one thread. The shell tells what CPU it took.
export async function wrk(url, connections, timing, folder) {
  const script = `${folder}/post.lua`;
  writeFileSync(
    script,
    `wrk.method = "POST"
wrk.body = '{"jsonrpc":"2.0","id":1000000000,"method":"ping"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
`,
  );
  const seconds = Math.max(1, Math.round(timing.seconds));  // wrk takes whole seconds
  const { stdout, stderr } = await run("bash", [
    "-c", `TIMEFORMAT="cpu %U %S"; time wrk -t1 -c${connections} -d${seconds} --latency -s "$0" "$1"`,
    script, url,
  ]);
  const percentile = (percent) => {
    const found = stdout.match(new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`));
    return found ? Number(found[1]) * kUnits[found[2]] : NaN;
  };
  const [, user, system] = stderr.match(/cpu ([\d.]+) ([\d.]+)/);
  const requests = Number(stdout.match(/(\d+) requests in/)[1]);
  return {
    throughput: Number(stdout.match(/Requests\/sec:\s+([\d.]+)/)[1]),
    ownCpu: (1e6 * (Number(user) + Number(system))) / requests,
    p50: percentile(50),
    p99: percentile(99),
    errors: 0,
  };
}

// CPU nanoseconds by name, medians of interleaved repetitions.
export async function micro(program, filter, timing) {
  const { stdout } = await run(
    program,
    [
      `--benchmark_filter=${filter}`, "--benchmark_format=json",
      `--benchmark_repetitions=${Math.max(2, timing.rounds)}`, "--benchmark_enable_random_interleaving=true",
      `--benchmark_min_time=${timing.microSeconds}`, "--benchmark_report_aggregates_only=true",
    ],
    { maxBuffer: kMaxBytes },
  );
  const scale = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
  const found = {};
  for (const row of JSON.parse(stdout).benchmarks) {
    if (row.aggregate_name !== "median") continue;
    found[row.run_name] = row.cpu_time * scale[row.time_unit];
    if (row.ns_per_event) found[`${row.run_name}/event`] = row.ns_per_event;
  }
  return found;
}
