// The servers that are measured side by side, and how each is started and stopped.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kStartMs = 30_000;

// A word as a shell takes it.
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

export function stdioPeers(bin, interop) {
  const server = [`${bin}/mcp-assay`, "reference-server"];
  return {
    reference: { title: "mcp-assay reference server", command: server },
    tapped: {
      title: "the same through mcp-assay tap",
      command: [`${bin}/mcp-assay`, "tap", "--party", "server", "--report", "json=build/bench/tap.json", "--", ...server],
    },
    catted: { title: "the same through two cats", command: ["sh", "-c", `cat | ${server.map(quoted).join(" ")} | cat`] },
    sdk: { title: "TypeScript SDK", command: ["node", `${interop}/peers/sdk-stdio.mjs`] },
    everything: {
      title: "server-everything",
      command: ["node", `${interop}/node_modules/.bin/mcp-server-everything`],
    },
    echo: { title: "an echo (cat)", command: ["cat"], isPlain: true },
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url, child) {
  const end = Date.now() + kStartMs;
  while (Date.now() < end && child.exitCode === null) {
    try {
      await fetch(url, { method: "POST", body: "{}" });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`no server at ${url}`);
}

// Starts a program that says "listening on URL", or listens at `url` if that is known beforehand.
async function start(command, url, environment = {}) {
  const child = spawn(command[0], command.slice(1), {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...environment },
  });
  let failure = null;
  child.on("error", (error) => (failure = error));
  if (!url) {
    url = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (piece) => {
        text += piece;
        const found = text.match(/listening on (\S+)/);
        if (found) resolve(found[1]);
      });
      child.on("exit", () => reject(new Error(`${command.join(" ")} ended at once`)));
    });
  }
  child.stdout.resume();
  await answers(url, child);
  if (failure) throw failure;
  return { url, pid: child.pid, stop: () => child.kill("SIGTERM") };
}

// One worker, as everybody else has one process; the answer is a constant.
async function startNginx() {
  const folder = mkdtempSync(join(tmpdir(), "bench-nginx-"));
  const port = await freePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  for (const path of paths) mkdirSync(join(folder, path));
  writeFileSync(
    join(folder, "nginx.conf"),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 2048; }
http {
  access_log off; keepalive_requests 1000000000; default_type application/json;
  ${paths.map((path) => `${path}_temp_path ${folder}/${path};`).join(" ")}
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / { return 200 '{"jsonrpc":"2.0","id":1000000000,"result":{}}'; }
  }
}
`,
  );
  const command = ["/usr/sbin/nginx", "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const peer = await start(command, `http://127.0.0.1:${port}/mcp`);
  return {
    ...peer,
    stop: () => {
      peer.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startHttpPeers(bin, interop) {
  const everything = await freePort();
  return {
    reference: {
      title: "mcp-assay reference server",
      ...(await start([`${bin}/mcp-assay`, "reference-server", "--transport", "http"])),
    },
    sdk: { title: "TypeScript SDK", ...(await start(["node", `${interop}/peers/sdk-http.mjs`])) },
    everything: {
      title: "server-everything (event streams)",
      ...(await start(
        ["node", `${interop}/node_modules/.bin/mcp-server-everything`, "streamableHttp"],
        `http://127.0.0.1:${everything}/mcp`,
        { PORT: String(everything) },
      )),
    },
    httplib: {
      title: "bare cpp-httplib handler",
      isPlain: true,
      ...(await start([`${bin}/httplib_peer`])),
    },
    nginx: { title: "nginx, a constant", isPlain: true, ...(await startNginx()) },
  };
}
