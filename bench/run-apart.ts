/** Runs a script of `apart/` in a process of its own, whose memory and warmth are then its own too. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The JSON that the script prints. */
export async function runApart<Printed>(script: URL, parameters: readonly string[]): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script), ...parameters]);
  return JSON.parse(stdout);
}
