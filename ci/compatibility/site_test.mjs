// Opens a site of ci/site in headless Chromium, in two widths, light and dark: axe finds nothing, nothing is requested from
// elsewhere, the search works, and no page is wider than the window.
//   node site_test.mjs SITE CHROMIUM [PICTURES]       PICTURES: a folder for pictures of some pages
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [site, executablePath, pictures] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;
const root = `${pathToFileURL(site).href}/`;

const rule = readdirSync(path.join(site, 'compatibility/rules')).sort()[0];
const pages = ['index.html', 'compatibility/README.html', 'compatibility/everything.html', 'compatibility/matrix.html',
  'compatibility/mcporter.html', `compatibility/rules/${rule}`,
  'reports/READING.html', 'ci/packaging/npm/README.html', 'ci/packaging/python/README.html'];
const hasRules = existsSync(path.join(site, 'rules'));
if (hasRules) pages.push('rules/index.html', 'rules/ping.empty-result.html', `rules/${rule}`);

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--allow-file-access-from-files'] });
try {
  for (const width of [1280, 390]) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      const troubles = [];
      page.on('request', (request) => request.url().startsWith(root) || request.url().startsWith('data:') || troubles.push(request.url()));
      page.on('pageerror', (error) => troubles.push(error.message));
      page.on('console', (message) => message.type() !== 'error' || troubles.push(message.text()));
      for (const name of pages) {
        await page.goto(root + name);
        const where = `${name}, ${width}, ${colorScheme}`;
        const widest = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(widest <= width, `${where} is ${widest} wide`);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => axe.run());
        const found = violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 160)).join('; ')}`);
        assert.deepEqual(found, [], where);
        if (pictures) {
          const file = `${name.replace(/\.html$/, '').replaceAll('/', '-')}-${width}-${colorScheme}.png`;
          await page.screenshot({ path: path.join(pictures, file) });
        }
      }
      await page.goto(`${root}compatibility/README.html`);
      await page.fill('#search', 'server-everything');
      await page.locator('#found a', { hasText: 'server-everything' }).first().click();
      assert.match(await page.locator('h1').innerText(), /server-everything/);
      if (hasRules) {
        await page.fill('#search', rule.replace('.html', ''));
        await page.locator('#found a[href*="../rules/"]').first().click();
        await page.locator('#who + ul a').first().click();
        assert.match(page.url(), /compatibility\/[^/]+$/);
      }
      assert.deepEqual(troubles, [], `${width}, ${colorScheme}`);
      await context.close();
    }
  }
} finally {
  await browser.close();
}
console.log(`${pages.length} pages, two widths, light and dark: all is well`);
