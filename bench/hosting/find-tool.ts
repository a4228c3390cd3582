/** Programs of others that a comparison needs, and that a machine may lack. */
import { spawnSync } from 'node:child_process';
import { sayLoudly } from './say-loudly.ts';

/** The command of a tool. Undefined if it is not installed, which is said together with what is skipped for it. */
export function findTool(name: string, skipped: string): string | undefined {
  // Servers lie in /usr/sbin, which is on no PATH but root's.
  const found = [name, `/usr/sbin/${name}`].find((command) => !spawnSync(command, ['-v']).error);
  if (found === undefined) {
    sayLoudly(`SKIPPED: ${skipped}, as ${name} is not installed: apt-get install nginx-light wrk`);
  }
  return found;
}
