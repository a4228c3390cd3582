/** What a user could not do without: JSON.parse of the whole body, in a fresh Node process without anything else. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './figures.ts';

const SCRIPT = `
  const body = require('node:fs').readFileSync(process.argv[1]);
  const startedAt = performance.now();
  JSON.parse(body.toString());
  console.log((performance.now() - startedAt) / 1000);
`;

/** Seconds, the median of `runs`. */
export async function timeJsonParse(file: string, runs: number): Promise<number> {
  const seconds: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, file]);
    seconds.push(Number(stdout));
  }
  return median(seconds);
}
