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
    assert.equal((await page.locator(".headline").innerText()).split(";")[0], "1 requirement violated");
    assert.equal(await page.locator(".matrix tbody tr").count(), 6);
    assert.equal(await page.locator("mark").first().innerText(), '"protocolVersion":"2024-11-05"');
    assert.equal(await page.locator("#violations ~ .finding").count(), 1);
    assert.equal(await page.locator("#advice ~ .finding").count(), 1);
    assert.match(await page.locator("pre.command").first().innerText(), /node x\.js$/);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "shows the first violation on the first screen"() {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
      const { page, close } = await open("sample.html", { viewport });
      const first = page.locator(".brief li").first();
      const box = await first.boundingBox();
      assert.ok(box.y + box.height <= viewport.height, `${viewport.width}: it ends at ${box.y + box.height}`);
      // What happened stands before the name of the rule.
      assert.match(await first.innerText(), /^asked for[^]*MUST lifecycle\.version-supported-echo/);
      await close();
    }
  },

  async "an entry of the list leads to its finding, and opens it"() {
    const { page, troubles, close } = await open("full.html");
    const entry = page.locator(".brief a").nth(6);
    const goal = (await entry.getAttribute("href")).slice(1);
    const details = page.locator(`[id="${goal}"] > details`);
    assert.ok(!(await details.evaluate((one) => one.open)));
    await entry.click();
    await page.waitForFunction((id) => document.getElementById(id).querySelector("details").open, goal);
    assert.ok((await page.locator(`[id="${goal}"]`).boundingBox()).y < 300);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "tabs show one run at a time, with and without JavaScript"() {
    for (const javaScriptEnabled of [true, false]) {
      const { page, troubles, close } = await open("full.html", { javaScriptEnabled });
      const finding = page.locator("article.finding").first();
      const shown = () => finding.locator(".panel:visible").count();
      assert.equal(await shown(), 1);
      assert.equal(await finding.locator(".tabs > label").first().innerText(), "2026-07-28 stdio");
      await finding.locator(".tabs > label").nth(3).click();
      assert.equal(await shown(), 1);
      assert.ok(await finding.locator(".panel").nth(3).isVisible());
      await finding.locator(".tabs > input").nth(3).press("ArrowRight");
      assert.ok(await finding.locator(".panel").nth(4).isVisible());
      assert.deepEqual(troubles, []);
      await close();
    }
  },

  async "a red cell leads to what was exchanged in its run"() {
    const { page, close } = await open("full.html");
    const cell = page.locator(".matrix td.bad a").nth(1);
    const goal = (await cell.getAttribute("href")).slice(1);
    await cell.click();
    await page.waitForFunction((id) => document.getElementById(id).checked, goal);
    assert.ok(await page.locator(`[id="${goal}"] + label + .panel mark`).first().isVisible());
    await close();
  },

  async "a permalink opens the finding, its run and the filter as they were"() {
    const { page, close } = await open("full.html");
    const finding = page.locator("article.finding").nth(5);
    await finding.locator("summary").first().click();
    await finding.locator(".tabs > label").nth(2).click();
    const address = page.url();
    assert.match(address, /#finding-/);
    const again = await page.context().newPage();
    await again.goto(address);
    const same = again.locator("article.finding").nth(5);
    assert.ok(await same.locator(".panel").nth(2).isVisible());
    const id = await finding.getAttribute("id");
    assert.equal(await finding.locator(`.links a[href="#${id}"]`).count(), 1);

    await page.fill("#filter-text", "requirement-number-17");
    await page.selectOption("#filter-level", "SHOULD");
    await page.uncheck("input[value=satisfied]");
    const rows = await page.locator("tr[data-outcomes]:not([hidden])").count();
    await again.goto("about:blank");
    await again.goto(page.url());
    assert.equal(await again.inputValue("#filter-text"), "requirement-number-17");
    assert.equal(await again.inputValue("#filter-level"), "SHOULD");
    assert.ok(!(await again.isChecked("input[value=satisfied]")));
    assert.equal(await again.locator("tr[data-outcomes]:not([hidden])").count(), rows);
    await close();
  },

  async "folds long JSON, and shows the marked part in the open"() {
    const { page, troubles, close } = await open("json.html");
    const json = page.locator("article.finding .json:has(mark)").first();
    assert.equal(await json.locator("mark").innerText(), '"name": "tool-17"');
    assert.ok(await json.locator("mark").isVisible());
    const fold = json.locator("details.fold").first();
    assert.ok(!(await fold.evaluate((one) => one.open)));
    await fold.locator("summary").first().click();
    assert.ok(await fold.locator(".in").first().isVisible());
    assert.ok((await json.boundingBox()).height < 1500);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "says what to copy into an issue and into the list of expected failures"() {
    const { page, close } = await open("sample.html");
    const finding = page.locator("#violations ~ .finding").first();
    await finding.getByText("Copy as an issue").click();
    assert.match(await finding.locator(".handy pre").first().innerText(), /What is wrong: asked for/);
    await finding.getByText("Copy as a prompt").click();
    assert.match(await finding.locator(".handy pre").nth(1).innerText(), /^Mend this violation[^]*What happened/);
    await finding.getByText("Expect this failure").click();
    assert.match(await finding.locator(".handy pre").nth(2).innerText(), /^server:\n {2}- requirement: "lifecycle/);
    await close();
  },

  async "sorts and filters an overview of many, and keeps it in the address"() {
    const { page, troubles, close } = await open("many.html", { viewport: { width: 1280, height: 700 } });
    const shown = page.locator("#server ~ .scroll tbody tr:not([hidden])");
    const names = () => shown.locator("th a, th bdi").evaluateAll((all) => all.map((each) => each.textContent));
    assert.equal(await shown.count(), 200);
    assert.equal(await page.locator("h2#client, h2#pair").count(), 2);
    const states = await shown.evaluateAll((all) => all.map((row) => row.dataset.state));
    assert.equal(states.lastIndexOf("failed"), states.indexOf("passed") - 1);

    await page.getByRole("button", { name: "Name" }).first().click();
    const sorted = await names();
    assert.deepEqual(sorted, [...sorted].sort((a, b) => a.localeCompare(b)));
    await page.getByRole("button", { name: "2025-11-25" }).first().click();
    assert.match(await shown.first().innerText(), /violated/);
    await page.check("#filter-failed");
    await page.fill("#filter-text", "server-1");
    const count = await shown.count();
    assert.ok(count > 0 && count < 200);
    const again = await page.context().newPage();
    await again.goto(page.url());
    assert.equal(await again.locator("#server ~ .scroll tbody tr:not([hidden])").count(), count);
    await page.uncheck("#filter-failed");
    await page.fill("#filter-text", "");

    // The head stays in sight.
    const box = page.locator("#server ~ .scroll");
    await box.evaluate((one) => one.scrollTo(0, 3000));
    const [head, frame] = [await box.locator("thead th").first().boundingBox(), await box.boundingBox()];
    assert.ok(Math.abs(head.y - frame.y) < 3);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "the pages of rules read as they are, and lead to each other"() {
    const { page, troubles, close } = await open("rules/tools.name-unique.html");
    assert.equal(await page.locator("script").count(), 0);
    assert.ok(await page.locator("#wrong ~ .finding mark").first().isVisible());
    assert.deepEqual(troubles, []);
    await page.getByRole("link", { name: "Rules of the Model Context Protocol" }).click();
    await page.getByRole("link", { name: "ping.answered" }).click();
    assert.match(page.url(), /ping\.answered\.html$/);
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

  async "another cell of the matrix opens its area"() {
    const { page, close } = await open("full.html");
    assert.equal(await page.locator("#area-tools").getAttribute("open"), null);
    await page.locator('.matrix a[href="#area-tools"]').first().click();
    await page.waitForSelector("#area-tools[open]");
    assert.ok(await page.locator("#area-tools tbody tr").first().isVisible());
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
    for (const name of ["hostile.html", "overview.html", "pairs.html"]) {
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

  async "a line of the matrix leads to its exchange, which opens"() {
    const { page, troubles, close } = await open("interop.html");
    assert.equal(await page.locator(".pairs tbody tr").count(), 3);
    assert.equal(await page.locator("figure").count(), 3);
    const line = page.locator(".line").first();
    const goal = (await line.getAttribute("href")).slice(1);
    await line.click();
    await page.waitForFunction((id) => document.getElementById(id).querySelector("details").open, goal);
    assert.match(await page.locator(`#${goal}`).innerText(), /Rules that were broken/);
    assert.ok((await page.locator(`#${goal}`).boundingBox()).y < 300);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "filters a matrix, and keeps the filter in the address"() {
    const { page, troubles, close } = await open("interop.html");
    await page.selectOption("#filter-client", "alpha");
    await page.check("#filter-failed");
    assert.equal(await page.locator(".pairs tbody tr:visible").count(), 1);
    assert.equal(await page.locator("article[id]:visible").count(), 2);
    assert.match(page.url(), /client=alpha&failed=1/);
    await page.selectOption("#filter-act", "call");
    assert.equal(await page.locator("figure:visible").count(), 1);
    const kept = page.url();
    await page.locator(".line:visible").first().click();
    assert.match(page.url(), /#cell-\d+\?client=alpha/);
    await page.goto("about:blank");
    await page.goto(kept);
    assert.equal(await page.inputValue("#filter-client"), "alpha");
    assert.equal(await page.locator("article[id]:visible").count(), 2);
    assert.deepEqual(troubles, []);
    await close();
  },

  async "filters a matrix by the gateway, where there is one"() {
    const { page, troubles, close } = await open("gateway.html");
    assert.equal(await page.locator("article[id]:visible").count(), 9);
    await page.selectOption("#filter-gateway", "edge");
    assert.equal(await page.locator("article[id]:visible").count(), 1);
    assert.equal(await page.locator(".line:visible").count(), 1);
    assert.match(page.url(), /gateway=edge/);
    const kept = page.url();
    await page.selectOption("#filter-gateway", { label: "no gateway" });
    assert.equal(await page.locator("article[id]:visible").count(), 8);
    await page.goto("about:blank");
    await page.goto(kept);
    assert.equal(await page.inputValue("#filter-gateway"), "edge");
    assert.equal(await page.locator(".line:visible").count(), 1);
    assert.deepEqual(troubles, []);
    await close();
    const without = await open("interop.html");
    assert.equal(await without.page.locator("#filter-gateway").count(), 0);
    await without.close();
  },

  async "a matrix is complete without JavaScript"() {
    const { page, close } = await open("interop.html", { javaScriptEnabled: false });
    assert.ok(!(await page.locator("#filter").isVisible()));
    assert.equal(await page.locator(".line").count(), 8);
    assert.equal(await page.locator("#failures ~ article").count(), 3);
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

  async "prints the summary and the violations on few pages"() {
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await open("three.html", { javaScriptEnabled });
      const pdf = await page.pdf({ format: "A4" });
      const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
      assert.ok(pages <= 4, `${pages} pages`);
      await page.emulateMedia({ media: "print" });
      for (const hidden of ["#filter", "#matrix", "#requirements", ".handy", ".tabs > label", "nav"]) {
        assert.ok(!(await page.locator(hidden).first().isVisible()), `${hidden} is printed`);
      }
      assert.ok(await page.locator(".finding.warn summary").first().isVisible());
      assert.ok(!(await page.locator(".finding.warn .panel").first().isVisible()));
      for (const finding of await page.locator(".finding.bad").all()) {
        assert.ok(await finding.locator("mark").first().isVisible());
      }
      await close();
    }
    const { page, close } = await open("full.html");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".finding.bad > details:not([open])").count(), 0);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok((await page.locator(".finding.bad > details:not([open])").count()) > 0);
    await close();
  },

  async "fits a small screen"() {
    for (const name of ["full.html", "json.html", "many.html", "trends.html", "compare.html", "fuzz.html", "interop.html", "gateway.html", "pairs.html", "rules/index.html", "rules/tools.name-unique.html"]) {
      const { page, close } = await open(name, { viewport: { width: 360, height: 700 } });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), name);
      await close();
    }
  },

  async "has no violation that an accessibility checker sees"() {
    const names = ["sample.html", "hostile.html", "full.html", "overview.html", "json.html", "many.html",
      "trends.html", "compare.html", "fuzz.html", "interop.html", "pairs.html",
      "rules/index.html", "rules/tools.name-unique.html"];
    for (const name of names) {
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
