/**
 * Runs the property tests round after round, each from a fresh seed, until Ctrl+C:
 *
 *     npm run fuzz [-- test/sitemap …]        PROPERTY_RUNS=20000 npm run fuzz
 *
 * Each finding is kept as a file in `fuzz-findings/`, with the command that replays it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCrash, describeFinding, keepFinding } from './support/fuzz-findings.ts';
import type { PropertyRun } from './support/property-seed.ts';

/** Cases per property and round: ten times as many as in `npm test`, so that a round takes some minutes. */
const RUNS = process.env.PROPERTY_RUNS ?? '2000';
/** Longer than any test that ends. A hanging property shows up as a crash of its round. */
const TEST_TIMEOUT_MS = 30 * 60_000;
const KEPT_OUTPUT_CHARACTERS = 20_000;

const files = propertyTests(process.argv.slice(2));
const folder = await mkdtemp(join(tmpdir(), 'waypost-fuzz-'));
let vitest: ChildProcess | undefined;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true;
    // On Ctrl+C the terminal has signalled vitest already. The second signal is wanted: vitest then ends at once.
    vitest?.kill('SIGINT');
  });
}

let cases = 0;
let entries = 0;
let findings = 0;
console.log(`${files.length} files with properties, ${RUNS} cases each; Ctrl+C ends it.`);
for (let round = 1; !isStopped; round++) {
  const seed = randomInt(2 ** 31);
  const { runs, output, hasFailed } = await runRound(seed, join(folder, `round-${round}.jsonl`));
  const failed = runs.filter((run) => run.error !== undefined);
  const found = failed.map((run) => describeFinding(run, RUNS));
  // A test that fails without a failed property: a hang, a judge that complains at the end, a crash.
  if (hasFailed && found.length === 0 && !isStopped) found.push(describeCrash(files, seed, RUNS, output));
  for (const finding of found) console.log(`found: ${await keepFinding(finding)}`);
  for (const run of runs) {
    cases += run.cases;
    entries += run.entries;
  }
  findings += found.length;
  const sums = `${shown(cases)} cases, ${shown(entries)} entries judged, ${findings} findings`;
  console.log(`round ${round}, seed ${seed}: ${sums}`);
}
await rm(folder, { recursive: true });
process.exitCode = findings === 0 ? 0 : 1;

function shown(count: number): string {
  return count.toLocaleString('en');
}

/** The test files with properties below the given paths, or all of them. */
function propertyTests(paths: readonly string[]): string[] {
  return globSync('test/**/*.test.ts')
    .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    .filter((file) => readFileSync(file, 'utf8').includes('property-runs.ts'))
    .sort();
}

async function runRound(
  seed: number,
  log: string,
): Promise<{ runs: PropertyRun[]; output: string; hasFailed: boolean }> {
  const options = ['run', '--reporter=default', '--no-color', `--testTimeout=${TEST_TIMEOUT_MS}`];
  vitest = spawn('vitest', [...options, ...files], {
    env: { ...process.env, PROPERTY_RUNS: RUNS, PROPERTY_SEED: String(seed), PROPERTY_LOG: log },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string) => {
    output = (output + text).slice(-KEPT_OUTPUT_CHARACTERS);
  };
  vitest.stdout?.setEncoding('utf8').on('data', keep);
  vitest.stderr?.setEncoding('utf8').on('data', keep);
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  vitest.on('error', (error) => {
    keep(`vitest cannot be started: ${error.message}; use npm run fuzz\n`);
    isStopped = true;
    console.error(output);
    resolve(true);
  });
  vitest.on('close', (code) => resolve(code !== 0));
  const hasFailed = await ended;
  return { runs: readLog(log), output, hasFailed };
}

function readLog(file: string): PropertyRun[] {
  const [log] = globSync(file);
  if (log === undefined) return [];
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
