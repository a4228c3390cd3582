/** Runs a script of `apart/` in a process of its own, whose memory and warmth are then its own too. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The JSON that the script prints. `bind` may make the command run elsewhere, as on a core of its own. */
export async function runApart<Printed>(
  script: URL,
  parameters: readonly string[],
  bind: (command: readonly string[]) => readonly string[] = (command) => command,
): Promise<Printed> {
  const [file, ...rest] = bind([process.execPath, fileURLToPath(script), ...parameters]);
  const { stdout } = await promisify(execFile)(file!, rest);
  return JSON.parse(stdout);
}
