// Opens the live page of a watch in headless Chromium, while a tap tells it of a faulty server; and that of an
// interactive session, to which the reference client comes.
//   node browser_test.mjs MCP-ASSAY FOLDER CHROMIUM [PICTURES]
// PICTURES: a folder for pictures of the page, light and dark.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";

const [program, folder, executablePath, pictures] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;
const socket = path.join(folder, "socket");

const lines = (child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const watch = spawn(program, ["watch", "--socket", socket], { stdio: ["ignore", "pipe", "inherit"] });
let browser;
try {
  const heading = lines(watch);
  const url = (await heading.next()).value.replace("page:", "").trim();
  assert.match((await heading.next()).value, /^taps:/);

  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const troubles = [];
  page.on("request", (request) => {
    if (![url, url + "/events"].includes(request.url())) troubles.push(`request: ${request.url()}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => { troubles.push("dialog"); dialog.dismiss(); });
  await page.goto(url);

  // By its short name: no folder of this machine stands on the page.
  const tap = spawn(program, ["tap", "--watch", socket, "--", "mcp-assay", "reference-server",
    "--fault", "ping-with-content"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, PATH: `${path.dirname(program)}:${process.env.PATH}` },
  });
  const answers = lines(tap);
  const ask = async (message) => {
    tap.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    if (message.id !== undefined) await answers.next();
  };
  const name = "<img src=x onerror=alert(1)>\u202e\u001b[2J";
  await ask({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {},
    clientInfo: { name, version: "1" } } });
  await ask({ method: "notifications/initialized" });
  await ask({ id: 1, method: "ping" });

  // The session goes on, and its violation is there.
  await page.waitForSelector(".violation mark");
  assert.equal(await page.locator(".violation b").innerText(), "ping.empty-result");
  assert.equal(await page.locator(".violation mark").innerText(), '"result":{"pong":true}');
  assert.equal(await page.locator("#sessions tr").count(), 1);
  assert.match(await page.locator("#sessions tr").innerText(), /open/);
  const said = await page.locator("#messages").innerText();
  assert.ok(said.includes("<img src=x"), said);
  assert.ok(!said.includes("\u202e"), said);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(troubles, []);
  // Nobody else's script would run.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.ran), undefined);

  // What to do stands there, the title counts, a message is folded until somebody opens it.
  assert.match(await page.locator(".violation").innerText(), /Fix: /);
  assert.equal(await page.title(), "1 violation - Watch - mcp-assay");
  assert.equal(await page.locator("#messages details[open]").count(), 0);
  await page.locator("#messages summary").first().click();
  assert.equal(await page.locator("#messages details pre").count(), 1);
  // The same again is counted.
  await ask({ id: 2, method: "ping" });
  await page.locator(".violation", { hasText: "seen 2 times" }).waitFor();
  assert.equal(await page.locator(".violation").count(), 1);
  assert.match(await page.locator("#sessions tr").innerText(), /\t7\t2\t/);

  // A telephone has no need to scroll aside.
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  if (pictures) await page.screenshot({ path: path.join(pictures, "watch-narrow.png") });
  await page.setViewportSize({ width: 1280, height: 900 });

  for (const colorScheme of ["light", "dark"]) {
    const viewport = { width: 980, height: 560 };
    const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport });
    const seen = await context.newPage();
    await seen.goto(url);
    await seen.waitForSelector(".violation mark");
    await seen.evaluate(axe);
    const { violations } = await seen.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), []);
    if (pictures) await seen.screenshot({ path: path.join(pictures, `watch-${colorScheme}.png`) });
    await context.close();
  }

  assert.equal(await page.locator("#guide").isVisible(), false);

  tap.stdin.end();
  await page.locator("#sessions td", { hasText: "ended" }).waitFor();
  await testGuide();
  console.log("the page of the watch: passed");
} finally {
  if (browser) await browser.close();
  watch.kill("SIGTERM");
}

// The same page with a guide: of an interactive session, and what is done vanishes.
async function testGuide() {
  const host = spawn(program, ["client", "--interactive", "--revision", "2025-11-25"],
    { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const heading = lines(host);
    const endpoint = (await heading.next()).value.replace("connect the application to: ", "");
    const url = (await heading.next()).value.replace("page: ", "");
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(url);
    await page.locator("#next li", { hasText: "connect" }).waitFor();
    assert.equal(await page.locator("#where").innerText(), endpoint);
    assert.equal(await page.title(), "Interactive session - mcp-assay");
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), []);
    if (pictures) await page.screenshot({ path: path.join(pictures, "interactive.png") });

    const visitor = spawn(program, ["reference-client", endpoint], { stdio: "ignore" });
    await page.locator("#next li", { hasText: "connect" }).waitFor({ state: "detached" });
    await page.locator("#next li", { hasText: "test_slow" }).waitFor();
    assert.equal(await page.locator("#sessions tr").count(), 1);
    if (visitor.exitCode === null) await once(visitor, "exit");
  } finally {
    host.kill("SIGTERM");
  }
}
