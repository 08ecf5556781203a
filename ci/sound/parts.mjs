// The parts of ci/soak: what each has to do, as items that can be done in any order. An item has a name and `play()`, which returns
// { complaints, results, gave_up }: lines that say what is wrong, the certifications that it made, and why there could be none.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kFaults } from './faults.mjs';
import { certify, collection, flips, jobs, kRoot, label, may_meet_proxy, reference, shuffled, violations } from './peers.mjs';
import { run, start, stop } from './processes.mjs';

const kSeedsOfServers = 200;
const kSeedsOfClients = 100;
const kSeedsOfFaults = 20;
const kMatrices = ['mutation_test', 'stdio_mutation_test', 'http_mutation_test', 'stateless_mutation_test', 'client_mutation_test',
  'authorization_mutation_test', 'client_authorization_mutation_test', 'authority_mutation_test'];
const kBusyLoops = 8;
const kLongestMatrix = 6 * 3600;  // seconds; with sanitizers beside other work

const range = (last) => Array.from({ length: last }, (_, i) => i + 1);
const sayings = (list) => list.map((each) => `${each.level} ${each.requirement} ${each.outcome}: ${each.detail ?? ''}`);

// What is false of a sound peer.
function accusations(result, calm) {
  if (result.problem) return [`could not be tested: ${result.problem}`];
  const { musts, shoulds } = violations(result);
  return [...sayings(musts.concat(shoulds)), ...(calm ? sayings(flips(calm, result)).map((each) => `flipped: ${each}`) : [])];
}

// Certifications without the proxy, each made once.
function calm_runs(options) {
  const made = new Map();
  return (job) => {
    const calm = { ...job, seed: undefined };
    const name = `${job.entry.seat} ${label(calm)}`;
    if (!made.has(name)) made.set(name, certify(calm, options));
    return made.get(name);
  };
}

function collected() {
  const entries = [...collection('server'), ...collection('client')];
  if (entries.length === 0) throw new Error('scenarios/sound/ has no servers.json and no clients.json');
  return jobs(entries);
}

function sound(options) {
  return collected().map((job) => ({
    name: `${job.entry.seat} ${label(job)}`,
    async play() {
      const result = await certify(job, options);
      return { complaints: accusations(result), results: [result] };
    },
  }));
}

// Each seed picks a peer, a revision and a transport. A peer that gives up because all is slow is accused of nothing.
function timing(options) {
  const calm = calm_runs(options);
  const all = collected().filter(may_meet_proxy);
  return [['server', kSeedsOfServers], ['client', kSeedsOfClients]].flatMap(([seat, seeds]) => {
    const of_seat = all.filter(({ entry }) => entry.seat === seat);
    if (of_seat.length === 0) return [];
    return range(seeds).map((seed) => {
      const job = { ...shuffled(of_seat, seed)[0], seed };
      return {
        name: `${seat} ${label(job)}`,
        async play() {
          const before = await calm(job);
          const result = await certify(job, options);
          return result.could_not_test && !before.problem ? { complaints: [], results: [], gave_up: result.problem } :
              { complaints: accusations(result, before), results: [result] };
        },
      };
    });
  });
}

// What a fault breaks is seen or left open; what it does not break without the proxy is not broken with it.
function faults(options) {
  const calm = calm_runs(options);
  const known = new Map(JSON.parse(execFileSync(options.assay, ['list', 'faults', '--json'], { maxBuffer: 1 << 26 }))
      .map((each) => [each.id, each]));
  return kFaults.flatMap(([fault, revision, transport]) => {
    const { breaks } = known.get(fault) ?? (() => { throw new Error(`there is no fault '${fault}'`); })();
    const entry = reference('server', options.assay, [fault]);
    return range(kSeedsOfFaults).map((seed) => {
      const job = { entry, revision, transport, seed };
      return {
        name: label(job),
        async play() {
          const before = await calm(job);
          const result = await certify(job, options);
          return { complaints: judged(breaks, before, result), results: [result] };
        },
      };
    });
  });
}

function judged(breaks, before, result) {
  if (result.problem ?? before.problem) return [`could not be tested: ${result.problem ?? before.problem}`];
  const outcome = (of, id) => of.verdicts.get(id)?.outcome;
  const broken = breaks.filter((id) => outcome(before, id) === 'violated');
  const { musts, shoulds } = violations(result);
  const others = musts.concat(shoulds).filter(({ requirement }) => !breaks.includes(requirement) &&
      outcome(before, requirement) !== 'violated');
  return [
    ...(broken.length === 0 ? [`not seen without the proxy either: ${breaks.join(', ')}`] : []),
    ...broken.filter((id) => outcome(result, id) === 'satisfied').map((id) => `missed: ${id} is satisfied`),
    ...sayings(others),
  ];
}

const is_built = new Map();
async function build(preset) {
  if (!is_built.has(preset)) {
    is_built.set(preset, run([join(kRoot, 'ci/build'), preset, 'mcp-assay', 'scenarios_test', 'client_scenarios_test',
      'authority_mutation_test'], 3 * 3600, { cwd: kRoot }));
  }
  const { status, said } = await is_built.get(preset);
  return status === 0 ? [] : [`the ${preset} build failed: ${said.slice(-1000)}`];
}

// The matrices of faults of a build, each alone.
function matrices(preset, busy_loops) {
  return kMatrices.map((test) => ({
    name: `${test} ${preset}${busy_loops > 0 ? ` beside ${busy_loops} busy loops` : ''}`,
    is_alone: true,
    async play() {
      const failed = await build(preset);
      if (failed.length > 0) return { complaints: failed, results: [] };
      const busy = range(busy_loops).map(() => start(['sh', '-c', 'while :; do :; done']));
      try {
        const { status, said } = await run(['ctest', '--preset', preset, '-R', `^${test}$`, '--timeout', String(kLongestMatrix),
          '--no-tests=error'], kLongestMatrix, { cwd: kRoot, env: { ...process.env, GTEST_BRIEF: '1', ASSAY_WHOLE_MATRIX: '1' } });
        return { complaints: status === 0 ? [] : [`ctest ended with ${status}: ${said.slice(-4000)}`], results: [] };
      } finally {
        await Promise.all(busy.map(stop));
      }
    },
  }));
}

// A command of ci/ that is all of its part.
function command(name, ...words) {
  return () => [{
    name: [name, ...words].join(' '),
    is_alone: true,
    async play() {
      const { status, said } = await run([join(kRoot, 'ci', name), ...words], 3 * 3600, { cwd: kRoot, env: { ...process.env, ASSAY_WHOLE_MATRIX: '1' } });
      return { complaints: status === 0 ? [] : [`ci/${name} ended with ${status}: ${said.slice(-4000)}`], results: [] };
    },
  }];
}

// Each part, as a function that makes its items; it throws an Error that says what is missing.
export const kParts = {
  sound, timing, faults,
  newcomer: command('newcomer-test'),
  headers: command('headers', '--all'),
  interop: command('interop-test', join(kRoot, 'build/release/bin/mcp-assay')),
  matrices: () => matrices('release', 0),
  asan: () => matrices('asan', 0),
  tsan: () => matrices('tsan', 0),
  load: () => matrices('release', kBusyLoops),
};

// needs(PARTS, ASSAY): what is missing for them, as a sentence.
export function needs(parts, assay) {
  if (parts.some((part) => ['sound', 'timing', 'faults'].includes(part)) && !existsSync(assay)) {
    return `there is no ${assay}; 'ci/build release mcp-assay' makes it`;
  }
  return undefined;
}
