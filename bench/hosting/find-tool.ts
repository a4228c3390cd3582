/** Finds third-party programs that a comparison needs. A machine may lack them. */
import { spawnSync } from 'node:child_process';
import { sayLoudly } from './say-loudly.ts';

/** Returns the command of a tool. If the tool is not installed, says which comparison is skipped, and returns undefined. */
export function findTool(name: string, skipped: string): string | undefined {
  // Servers are in /usr/sbin, which only root has in its PATH.
  const found = [name, `/usr/sbin/${name}`].find((command) => !spawnSync(command, ['-v']).error);
  if (found === undefined) {
    sayLoudly(`SKIPPED: ${skipped}, because ${name} is not installed: apt-get install nginx-light wrk`);
  }
  return found;
}
