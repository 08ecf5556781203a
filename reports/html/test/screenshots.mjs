// Takes the pictures of the documentation:
//   node screenshots.mjs FOLDER-OF-PAGES CHROMIUM FOLDER-OF-PICTURES SHOT...
// A SHOT is PICTURE=PAGE[,light|dark][,WIDTHxHEIGHT][,print][,from=SELECTOR][,until=SELECTOR]: from the top of
// the page or of an element, HEIGHT pixels or as far as the first such element reaches. A PAGE that ends in
// .txt is what a terminal was sent, with its colours.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pages, executablePath, pictures, ...shots] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const margin = 24;

// The SGR sequences that our own terminal report has.
const styles = { 1: "font-weight:bold", 2: "color:#9aa2ab", 31: "color:#ff8a80", 32: "color:#7ddc9f", 33: "color:#f0c674" };

function terminalPage(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const body = escaped.replace(/\x1b\[(\d+)m/g, (_, code) => (styles[code] ? `<span style="${styles[code]}">` : "</span>"));
  return `<!DOCTYPE html><body style="margin:0;background:#14171a;color:#e6e8ea">
    <pre style="margin:0;padding:${margin}px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.35 'DejaVu Sans Mono',monospace">${body}</pre>`;
}

// Where the picture begins and ends, in pixels of the whole page.
function extent({ from, until, height, margin }) {
  const box = (selector, root = document) => root.querySelector(selector).getBoundingClientRect();
  const y = from ? box(from).top + scrollY - margin : 0;
  if (!until) return { y, height };
  const start = from ? document.querySelector(from).closest("section") ?? document : document;
  return { y, height: box(until, start).bottom + scrollY + margin / 2 - y };
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const shot of shots) {
  const [, picture, rest] = shot.match(/^([^=]+)=(.*)$/);
  const [name, ...words] = rest.split(",");
  const option = (key) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  const [, width, height] = words.map((word) => word.match(/^(\d+)x(\d+)$/)).find(Boolean) ?? [0, "1100", "800"];
  const isTerminal = name.endsWith(".txt");
  const context = await browser.newContext({
    viewport: { width: Number(width), height: Number(height) },
    colorScheme: words.includes("dark") ? "dark" : "light",
    bypassCSP: true,
  });
  const page = await context.newPage();
  const file = path.join(pages, name);
  if (isTerminal) await page.setContent(terminalPage(readFileSync(file, "utf8").trimEnd()));
  else await page.goto(pathToFileURL(file).href);
  if (words.includes("print")) {
    await page.emulateMedia({ media: "print" });
    await page.addStyleTag({ content: "body { padding: 48px !important; }" });
  }
  // A bar that sticks to the window would cover what is taken below the first screen, and a table with a
  // scroll bar would be cut.
  await page.addStyleTag({ content: "nav { position: static !important; } .tall { max-height: none !important; }" });
  const until = isTerminal ? "pre" : option("until");
  const place = await page.evaluate(extent, {
    from: option("from"), until, height: Number(height), margin: isTerminal ? 0 : margin,
  });
  const clip = { x: 0, width: Number(width), ...place };
  await page.screenshot({ path: path.join(pictures, picture), fullPage: true, clip });
  await context.close();
}
await browser.close();
