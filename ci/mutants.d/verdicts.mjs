// How a server is certified here, and what a mutant's verdicts say beside those of the original.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { first_match, run, start, stop } from '../sound/processes.mjs';

// Whether they are exercised depends on how busy the machine is: a cancellation has to cross the answer.
const kExercisedByChance = ['cancellation.no-response'];
const kMaxTime = 240;  // seconds for one certification

// Whether all verdicts about a change to FILE can come from sessions that share one process, which takes a tenth of the time.
export const way_for = (subject, file) => (subject.module && !subject.only_stdio?.test(file ?? '') ? 'socket' : 'stdio');

const is_tested = (status) => status === 0 || status === 1;

// certify(ASSAY, SCRATCH, WAY): the outcome of each rule, details of what is violated, and mcp-assay's status; undefined where
// the shared process did not last, which says too little. Every tool may be called: each start has a folder of its own.
export async function certify(assay, scratch, way) {
  const { place, words, env } = scratch.place();
  const report = join(place, '../report.json');
  const certified = async (target) => {
    rmSync(report, { force: true });
    return run([assay, 'server', '--project', 'none', '--quiet', '--color', 'never', '--tools', 'all', '--jobs', '4', '--revision',
      scratch.subject.revision, '--max-time', String(kMaxTime), '--report', `json=${report}`, ...target], kMaxTime + 60, { cwd: place });
  };
  if (way === 'socket') {
    const path = join(place, 's');
    const server = start(scratch.at_socket(path), { cwd: place });
    const { status } = await first_match(server, /listening/, 30) ? await certified(['--socket', path]) : {};
    const is_alive = server.exitCode === null && server.signalCode === null;
    await stop(server);
    return is_alive && is_tested(status) ? verdicts_in(report, status) : undefined;
  }
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const { status, said } = await certified([...variables, '--', ...words]);
  return existsSync(report) ? verdicts_in(report, status) : { outcomes: {}, details: {}, status, said: said.slice(-500) };
}

function verdicts_in(report, status) {
  const verdicts = JSON.parse(readFileSync(report)).runs.flatMap((one) => one.verdicts);
  return {
    status,
    outcomes: Object.fromEntries(verdicts.map(({ requirement, outcome }) => [requirement, outcome])),
    details: Object.fromEntries(verdicts.filter(({ outcome }) => outcome === 'violated')
      .map(({ requirement, level, detail }) => [requirement, `${level}: ${detail}`.slice(0, 300)])),
  };
}

// steady(ALL): the verdicts of several certifications of one server as one. `unsteady` are the rules whose outcomes differ; of these
// the worst is kept, so that no mutant is blamed for what the original does too.
export function steady(all) {
  const outcomes = {};
  const unsteady = [];
  for (const rule of new Set(all.flatMap((each) => Object.keys(each.outcomes)))) {
    const seen = new Set(all.map((each) => each.outcomes[rule]));
    outcomes[rule] = seen.has('violated') ? 'violated' : [...seen][0];
    if (seen.size > 1) unsteady.push(rule);
  }
  return { ...all[0], outcomes, unsteady };
}

// judged(ORIGINAL, MUTANT): 'killed' where a rule is violated that the original does not violate, 'seen' where anything else
// changed, 'survived' where nothing did; and the rules that say so.
export function judged(original, mutant) {
  const rules = [...new Set([...Object.keys(original.outcomes), ...Object.keys(mutant.outcomes)])].sort();
  const differing = rules.filter((rule) => original.outcomes[rule] !== mutant.outcomes[rule]);
  const broken = differing.filter((rule) => mutant.outcomes[rule] === 'violated');
  const is_chance = (rule) => original.unsteady?.includes(rule) ||
      (kExercisedByChance.includes(rule) && [original, mutant].some(({ outcomes }) => outcomes[rule] === 'not_exercised'));
  const changed = differing.filter((rule) => !is_chance(rule));
  if (broken.length > 0) return { outcome: 'killed', rules: broken.map((rule) => `${rule} (${mutant.details?.[rule] ?? 'violated'})`) };
  const shown = changed.slice(0, 20).map((rule) => `${rule}: ${original.outcomes[rule] ?? 'none'}, now ${mutant.outcomes[rule] ?? 'none'}`);
  if (is_tested(original.status) !== is_tested(mutant.status)) shown.unshift(`mcp-assay ended with ${mutant.status}`);
  return shown.length > 0 ? { outcome: 'seen', rules: shown } : { outcome: 'survived', rules: [] };
}
