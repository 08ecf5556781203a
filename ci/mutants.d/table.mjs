// Results as a table by package and operator, and the survivors with what was decided about them.
export const kDecisions = ['no rule broken', 'rule not judged', 'check too weak'];

// What makes two mutants the same one.
export const key_of = (each) => [each.package, each.version, each.file, `${each.line}:${each.column}`, each.operator].join(' ');

// Mistakes in a file of decisions.
export function mistakes_in(decisions) {
  const seen = new Set();
  return decisions.flatMap((each) => {
    const key = key_of(each);
    const found = [];
    if (!kDecisions.includes(each.decision)) found.push(`${key}: '${each.decision}' is not one of: ${kDecisions.join(', ')}`);
    if (typeof each.why !== 'string' || each.why.length < 20) found.push(`${key}: say why, in a sentence`);
    if (seen.has(key)) found.push(`${key}: is decided twice`);
    seen.add(key);
    return found;
  });
}

function counts(results, decided) {
  const of = (outcome) => results.filter((each) => each.outcome === outcome);
  const harmless = of('survived').filter((each) => decided.get(key_of(each))?.decision === 'no rule broken').length;
  const [same, killed, seen, survived] = ['same', 'killed', 'seen', 'survived'].map((outcome) => of(outcome).length);
  const differing = killed + seen + survived;
  const breaking = differing - harmless;
  const share = (whole) => (whole > 0 ? `${Math.round((100 * killed) / whole)} %` : '-');
  return [results.length, same, killed, seen, survived, harmless, share(differing), share(breaking)];
}

const kHead = ['made', 'same traffic', 'killed', 'seen', 'survived', 'of these harmless', 'killed of differing', 'killed of harmful'];
const row = (cells) => `| ${cells.join(' | ')} |`;

// table(RESULTS, DECISIONS): in Markdown.
export function table(results, decisions) {
  const decided = new Map(decisions.map((each) => [key_of(each), each]));
  const lines = [row(['package', 'operator', ...kHead]), `|${'---|'.repeat(2 + kHead.length)}`];
  const packages = [...new Set(results.map((each) => each.package))].sort();
  for (const name of packages) {
    const here = results.filter((each) => each.package === name);
    for (const operator of [...new Set(here.map((each) => each.operator))].sort()) {
      lines.push(row([name, operator, ...counts(here.filter((each) => each.operator === operator), decided)]));
    }
    lines.push(row([name, 'all', ...counts(here, decided)]));
  }
  for (const operator of [...new Set(results.map((each) => each.operator))].sort()) {
    lines.push(row(['all', operator, ...counts(results.filter((each) => each.operator === operator), decided)]));
  }
  lines.push(row(['all', 'all', ...counts(results, decided)]));
  return lines.join('\n');
}

// survivors(RESULTS, DECISIONS): each with the change, the first message that differs, and the decision.
export function survivors(results, decisions) {
  const decided = new Map(decisions.map((each) => [key_of(each), each]));
  return results.filter(({ outcome }) => outcome === 'survived').map((each) => {
    const decision = decided.get(key_of(each));
    return [`${each.package} ${each.file}:${each.line}:${each.column} ${each.operator}`,
      `    change:   ${each.before} -> ${each.after || '(nothing)'}`,
      `    ${each.difference.message}`, `      before: ${each.difference.before || '(nothing)'}`, `      after:  ${each.difference.after || '(nothing)'}`,
      `    decision: ${decision ? `${decision.decision}: ${decision.why}` : 'none yet'}`].join('\n');
  }).join('\n');
}
