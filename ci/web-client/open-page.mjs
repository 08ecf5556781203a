// Opens the page as the client of a server, and waits for its end:
//   node open-page.mjs BROWSER ORIGIN URL
// BROWSER: the address of a browser that web_client_test.mjs has started.
import {chromium} from 'playwright-core';

const [browser_address, origin, server] = process.argv.slice(2);
const browser = await chromium.connect(browser_address);
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(`${origin}/?server=${encodeURIComponent(server)}`);
await page.waitForFunction(() => window.outcome !== undefined, null, {timeout: 25000});
const outcome = await page.evaluate(() => window.outcome);
await context.close();
await browser.close();
if (outcome !== 'done') {
  console.error(outcome);
  process.exit(1);
}
