// One row of CLIENTS.md: node row.mjs NAME PACKAGE HOW REPORT
import { readFileSync } from 'node:fs';

const [name, version, how, file] = process.argv.slice(2);
const { runs } = JSON.parse(readFileSync(file));
const verdicts = runs.flatMap((run) => run.verdicts);
const count = (outcome) => verdicts.filter((each) => each.outcome === outcome).length;
const statuses = runs.map((run) => `${run.revision} ${run.status}`).join(', ');
const broken = [...new Set(verdicts.filter((each) => each.outcome === 'violated')
    .map((each) => `\`${each.requirement}\``))].join(', ') || 'none';
console.log(`| ${name} | ${version} | ${how} | ${statuses} | ${count('satisfied')} | ${count('inconclusive')} | ${broken} |`);
