// What the reports of strangers come to, as a page.

const kMust = ['MUST', 'MUST NOT', 'SHALL', 'SHALL NOT', 'REQUIRED'];
// A rule that more than this share of those that met it breaks is one to look at again.
const kOften = 1 / 3;
// Of fewer servers a share says little.
const kFewest = 5;

const is_must = ({ level }) => kMust.includes(level);
const percent = (part, whole) => (whole > 0 ? `${Math.round((100 * part) / whole)}%` : '-');
const runs_of = (report) => report.runs.filter(({ verdicts }) => verdicts?.length > 0);

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? 0 : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Of the MUST rules that apply in a run, how many were met.
function coverage({ verdicts }) {
  const applicable = verdicts.filter((each) => is_must(each) && each.outcome !== 'not_applicable');
  return { applicable: applicable.length, met: applicable.filter(({ outcome }) => outcome !== 'not_exercised').length };
}

const run_of = (report) => runs_of(report)[0];

function row({ server, report, drafted }, has_drafts) {
  const run = run_of(report);
  if (!run) return { share: undefined, text: `| ${server.name} | ${server.version} | - | ${report.runs[0]?.status ?? 'not tested'} |${has_drafts ? ' |' : ''} | | |` };
  const { applicable, met } = coverage(run);
  const again = drafted && run_of(drafted);
  const with_draft = again ? coverage(again) : undefined;
  const count = (level, outcome) => run.verdicts.filter((each) => is_must(each) === level && each.outcome === outcome).length;
  return {
    share: met / applicable,
    drafted: with_draft && with_draft.met / with_draft.applicable,
    text: `| ${[server.name, server.version, run.revision, `${met} of ${applicable} (${percent(met, applicable)})`,
      ...(has_drafts ? [with_draft ? percent(with_draft.met, with_draft.applicable) : ''] : []), count(true, 'violated'), count(false, 'violated'),
      run.verdicts.filter(({ outcome }) => outcome === 'inconclusive').length].join(' | ')} |`,
  };
}

// By rule, how many servers kept it, broke it, or never met it. What is not applicable is left out.
function base_rates(reports) {
  const rules = new Map();
  for (const { requirement: rule, level, outcome } of reports.flatMap(({ report }) => run_of(report)?.verdicts ?? [])) {
    if (outcome === 'not_applicable') continue;
    const counts = rules.get(rule) ?? { rule, level, broken: 0, kept: 0, unclear: 0, unmet: 0 };
    ++counts[{ violated: 'broken', satisfied: 'kept', inconclusive: 'unclear' }[outcome] ?? 'unmet'];
    rules.set(rule, counts);
  }
  return [...rules.values()];
}

function table_of_rates(rates) {
  const broken = rates.filter((each) => each.broken > 0).sort((a, b) => b.broken - a.broken || a.rule.localeCompare(b.rule));
  return broken.map((each) => {
    const met = each.broken + each.kept;
    const is_often = met >= kFewest && each.broken / met > kOften;
    return `| ${each.rule} | ${each.level} | ${each.broken} of ${met} (${percent(each.broken, met)})${is_often ? ' **often**' : ''} | ${each.unclear} | ${each.unmet} |`;
  });
}

export function page(reports, listed) {
  const has_drafts = reports.some(({ drafted }) => drafted);
  const rows = reports.map((each) => row(each, has_drafts)).sort((a, b) => a.text.localeCompare(b.text));
  const shares = rows.map(({ share }) => share).filter((share) => share !== undefined);
  const drafted = rows.map((each) => each.drafted).filter((share) => share !== undefined);
  const rates = base_rates(reports);
  const never = rates.filter((each) => is_must(each) && each.broken + each.kept + each.unclear === 0).map(({ rule }) => `\`${rule}\``).sort();
  const [{ report }] = reports;
  return `# Servers by others, as they are

Made by \`ci/strangers\`, with mcp-assay ${report.tool.version}, catalogue ${report.catalogue.version}, on ${report.started.slice(0, 10)}: ${reports.length} of ${listed} servers
from npm, over stdio, without network, credentials or a profile; of their tools only those that read are called.
Of the MUST rules that apply to a server, the median server lets mcp-assay judge ${percent(median(shares), 1)}${drafted.length > 0 ? `, and ${percent(median(drafted), 1)} with the profile that
\`mcp-assay profile --draft\` writes for it` : ''}. The rest waits for things that these servers did not do: ask their client, run a task, need a token.

| server | version | revision | MUST rules judged |${has_drafts ? ' with a drafted profile |' : ''} MUST violated | advice | unclear |
|---|---|---|---|${has_drafts ? '---|' : ''}---|---|---|
${rows.map(({ text }) => text).join('\n')}

## How often each rule is broken

Of the servers that met the rule. A rule that more than a third of them breaks is looked at
again: is it our reading?

| rule | level | broken | unclear | not met |
|---|---|---|---|---|
${table_of_rates(rates).join('\n')}

## MUST rules that none of them met

${never.join(', ') || 'None.'}
`;
}
