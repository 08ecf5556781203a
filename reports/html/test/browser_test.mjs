// Opens the sample pages in headless Chromium and uses them as a reader does.
//   node browser_test.mjs FOLDER-OF-PAGES CHROMIUM
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, executablePath] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const url = (name) => pathToFileURL(path.join(folder, name)).href;

// Opens a page and watches for what must never happen: a request, a dialogue, a script error.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url(name)) troubles.push(`request: ${request.url().slice(0, 200)}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text().slice(0, 200)}`);
  });
  page.on("dialog", (dialog) => { troubles.push("dialog"); dialog.dismiss(); });
  await page.goto(url(name));
  return { page, troubles, close: () => context.close() };
}

const tests = {
  async "shows the verdict, the matrix and the marked part"() {
    const { page, troubles, close } = await open("sample.html");
    assert.equal(await page.locator(".headline").innerText(), "1 requirement violated");
    assert.equal(await page.locator(".matrix tbody tr").count(), 6);
    assert.equal(await page.locator("mark").first().innerText(), '"protocolVersion":"2024-11-05"');
    assert.equal(await page.locator("#violations ~ .finding").count(), 1);
    assert.equal(await page.locator("#advice ~ .finding").count(), 1);
    assert.equal(await page.locator("pre.command").count(), 1);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "filters by outcome, level, area and text"() {
    const { page, troubles, close } = await open("full.html");
    const shown = () => page.locator("tr[data-outcomes]:not([hidden])").count();
    const total = await shown();
    assert.ok(total > 400);
    await page.fill("#filter-text", "requirement-number-17");
    assert.ok((await shown()) < total && (await shown()) > 0);
    assert.match(await page.locator("#filter-count").innerText(), new RegExp(` of ${total} requirements`));
    await page.click("button[type=reset]");
    await page.waitForFunction((number) =>
      document.querySelectorAll("tr[data-outcomes]:not([hidden])").length === number, total);
    await page.selectOption("#filter-level", "SHOULD");
    assert.ok(await page.locator("tr[data-outcomes]:not([hidden])").evaluateAll(
      (rows) => rows.length > 0 && rows.every((row) => row.dataset.level === "SHOULD")));
    await page.selectOption("#filter-area", "tools");
    assert.ok(await page.locator("tr[data-outcomes]:not([hidden])").evaluateAll(
      (rows) => rows.length > 0 && rows.every((row) => row.dataset.area === "tools")));
    await page.click("button[type=reset]");
    for (const value of ["satisfied", "not_exercised", "not_applicable", "inconclusive"]) {
      await page.uncheck(`input[value=${value}]`);
    }
    assert.ok(await page.locator("tr[data-outcomes]:not([hidden])").evaluateAll(
      (rows) => rows.length > 0 && rows.every((row) => row.dataset.outcomes.includes("violated"))));
    assert.deepEqual(troubles, []);
    await close();
  },

  async "unfolds what stands around a violation"() {
    const { page, troubles, close } = await open("sample.html");
    const around = page.locator("#violations ~ .finding .context details").first();
    assert.equal(await around.locator("summary").innerText(), "1 event after");
    assert.ok(!(await around.locator("pre").first().isVisible()));
    await around.locator("summary").click();
    assert.equal(await around.locator("pre").first().innerText(), "server listening");
    assert.deepEqual(troubles, []);
    await close();
  },

  async "a cell of the matrix opens its area"() {
    const { page, close } = await open("full.html");
    assert.equal(await page.locator("#area-tools").getAttribute("open"), null);
    await page.locator('.matrix td a[href="#area-tools"]').first().click();
    await page.waitForSelector("#area-tools[open]");
    assert.ok(await page.locator("#area-tools tbody tr").first().isVisible());
    await close();
  },

  async "a violated rule leads to what was exchanged"() {
    const { page, troubles, close } = await open("full.html");
    const findings = page.locator("article.finding > details");
    assert.ok(await findings.first().evaluate((one) => one.open));
    assert.ok(await findings.nth(5).evaluate((one) => !one.open));
    const id = await page.locator("article.finding").nth(5).getAttribute("id");
    const link = page.locator(`a[href="#${id}"]`);
    await page.locator("details.area", { has: link }).locator("summary").click();
    await link.click();
    await page.waitForFunction((name) => document.getElementById(name).querySelector("details").open, id);
    assert.ok(await page.locator(`[id="${id}"] mark`).first().isVisible());
    assert.deepEqual(troubles, []);
    await close();
  },

  async "can be used with the keyboard alone"() {
    const { page, close } = await open("full.html");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.locator("#area-http summary").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#area-http[open]");
    await close();
  },

  async "reads without JavaScript"() {
    const { page, troubles, close } = await open("sample.html", { javaScriptEnabled: false });
    assert.ok(await page.locator("mark").first().isVisible());
    assert.ok(!(await page.locator("#filter").isVisible()));
    await page.locator("#area-lifecycle summary").click();
    assert.ok(await page.locator("#area-lifecycle tbody tr").first().isVisible());
    assert.deepEqual(troubles, []);
    await close();
  },

  async "hostile text executes nothing and asks for nothing"() {
    for (const name of ["hostile.html", "overview.html"]) {
      const { page, troubles, close } = await open(name);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      assert.equal(await page.locator("script").count(), 1);
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
      const text = await page.evaluate(() => document.documentElement.outerHTML);
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.ok(text.length < 1_000_000);
      assert.deepEqual(troubles, []);
      await close();
    }
  },

  async "the policy of the page refuses what is not its own"() {
    const { page, close } = await open("sample.html");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.pwned = 1";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    await close();
  },

  async "has both colour schemes"() {
    const grounds = [];
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await open("sample.html", { colorScheme });
      grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      await close();
    }
    assert.notEqual(grounds[0], grounds[1]);
  },

  async "prints what is folded, without the controls"() {
    const { page, close } = await open("full.html");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("details:not([open])").count(), 0);
    assert.ok(!(await page.locator("#filter").isVisible()));
    assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok((await page.locator("details:not([open])").count()) > 0);
    await close();
  },

  async "fits a small screen"() {
    const { page, close } = await open("full.html", { viewport: { width: 360, height: 700 } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    await close();
  },

  async "has no violation that an accessibility checker sees"() {
    for (const name of ["sample.html", "hostile.html", "full.html", "overview.html"]) {
      for (const colorScheme of ["light", "dark"]) {
        const { page, close } = await open(name, { colorScheme, bypassCSP: true });
        await page.locator("details").evaluateAll((all) => all.slice(0, 4).forEach((one) => { one.open = true; }));
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run());
        const found = violations.map((each) => `${name} ${colorScheme} ${each.id}: ${each.nodes[0].html.slice(0, 200)}`);
        assert.deepEqual(found, []);
        await close();
      }
    }
  },
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed === 0 ? 0 : 1;
