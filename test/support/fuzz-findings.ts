/** What fuzzing finds, as files: what failed, on what, and the command that shows it again. */
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

/** A round that failed, though none of its properties did. */
export function describeCrash(files: readonly string[], seed: number, runs: string, output: string): string {
  const replay = replayCommand(seed, runs, files.join(' '));
  return `No property failed, but the run did.\n\nReplay:\n${replay}\n\n${output}\n`;
}

/** Writes the finding, under a name made of its text, and returns the file's path. */
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

/** A test's full name as vitest's `-t`, a regular expression between single quotes of a shell. */
function patternFor(test: string): string {
  const title = test.replaceAll(' > ', ' ');
  return `^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`.replaceAll("'", '.');
}
