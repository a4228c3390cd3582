/** Writes the findings of fuzzing to files: the failed property, its input, and the command that reproduces it. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PropertyRun } from './property-seed.ts';

const FOLDER = 'fuzz-findings';

/** A property that failed. */
export function describeFinding(run: PropertyRun, runs: string): string {
  return [
    `${run.file} > ${run.test}`,
    '',
    'Replay:',
    replayCommand(run.seed, runs, `${run.file} -t '${patternFor(run.test)}'`),
    '',
    `Case ${run.cases}; for fc.assert: { seed: ${run.seed}, path: '${run.path}' }`,
    `Counterexample: ${run.counterexample}`,
    '',
    run.error,
    '',
  ].join('\n');
}

/** A round that failed although every property passed. */
export function describeCrash(files: readonly string[], seed: number, runs: string, output: string): string {
  const replay = replayCommand(seed, runs, files.join(' '));
  return `No property failed, but the run did.\n\nReplay:\n${replay}\n\n${output}\n`;
}

/** Writes the finding to a file named after its text, and returns the path. */
export async function keepFinding(finding: string): Promise<string> {
  const subject = finding
    .slice(0, finding.indexOf('\n'))
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 80);
  const digest = createHash('sha256').update(finding).digest('hex').slice(0, 8);
  await mkdir(FOLDER, { recursive: true });
  const path = join(FOLDER, `${subject}-${digest}.txt`);
  await writeFile(path, finding);
  return path;
}

function replayCommand(seed: number, runs: string, what: string): string {
  return `PROPERTY_SEED=${seed} PROPERTY_RUNS=${runs} npx vitest run ${what}`;
}

/** The full name of a test as an argument of vitest's `-t`: a regular expression in single quotes for the shell. */
function patternFor(test: string): string {
  const title = test.replaceAll(' > ', ' ');
  return `^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`.replaceAll("'", '.');
}
