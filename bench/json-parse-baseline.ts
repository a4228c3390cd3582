/** Measures the least work of any reader of a JSON body: JSON.parse of the whole body, in a fresh, empty Node process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SCRIPT = `
  const body = require('node:fs').readFileSync(process.argv[1]);
  const startedAt = performance.now();
  JSON.parse(body.toString());
  console.log((performance.now() - startedAt) / 1000);
`;

/** Returns the seconds of the parse. `file`: the path of the body. The time to read the file does not count. */
export async function jsonParseSeconds(file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, file]);
  return Number(stdout);
}
