// One row of LOGINS.md: node row.mjs NAME LIBRARY FOLDER REPORT
import { readFileSync } from "node:fs";

const [name, library, folder, file] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(`${folder}/node_modules/${library}/package.json`));
const { runs } = JSON.parse(readFileSync(file));
const verdicts = runs.flatMap((run) => run.verdicts);
const isMust = ({ level }) => /^(MUST|SHALL|REQUIRED)/.test(level);
const count = (outcome) => verdicts.filter((each) => each.outcome === outcome).length;
const listed = (outcome, wanted) => [...new Set(verdicts.filter((each) => each.outcome === outcome && wanted(each))
  .map((each) => `\`${each.requirement}\``))].join(", ") || "none";
const revisions = runs.map((run) => run.revision).filter(Boolean).join(", ");
console.log(`| ${[name, `${library} ${version}`, revisions, count("satisfied"), count("inconclusive"),
  listed("violated", isMust), listed("violated", (each) => !isMust(each))].join(" | ")} |`);
