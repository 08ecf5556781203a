// Takes the pictures of the documentation:
//   node screenshots.mjs FOLDER-OF-PAGES CHROMIUM FOLDER-OF-PICTURES SHOT...
// A SHOT is PICTURE=PAGE[,light|dark][,WIDTHxHEIGHT][,print][,#ID]: the page from the element of that
// id on, or from its top.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pages, executablePath, pictures, ...shots] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const shot of shots) {
  const [picture, rest] = shot.split("=");
  const [name, ...words] = rest.split(",");
  const size = words.map((word) => word.match(/^(\d+)x(\d+)$/)).find(Boolean) ?? [0, "1100", "800"];
  const id = words.find((word) => word.startsWith("#"));
  const context = await browser.newContext({
    viewport: { width: Number(size[1]), height: Number(size[2]) },
    colorScheme: words.includes("dark") ? "dark" : "light",
  });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path.join(pages, name)).href);
  if (words.includes("print")) await page.emulateMedia({ media: "print" });
  if (id) await page.evaluate((place) => document.querySelector(place).scrollIntoView(), id);
  await page.screenshot({ path: path.join(pictures, picture) });
  await context.close();
}
await browser.close();
