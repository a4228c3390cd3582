/** Runs a script of `apart/` in a separate process, so that it has its own memory and JIT state. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Resolves to the JSON that the script prints. `bind` may change the command, for example to choose a core. */
export async function runApart<Printed>(
  script: URL,
  parameters: readonly string[],
  bind: (command: readonly string[]) => readonly string[] = (command) => command,
): Promise<Printed> {
  const [file, ...rest] = bind([process.execPath, fileURLToPath(script), ...parameters]);
  const { stdout } = await promisify(execFile)(file!, rest);
  return JSON.parse(stdout);
}
