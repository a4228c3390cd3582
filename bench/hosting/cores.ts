/**
 * Servers run on one core and whoever asks them on another, so neither takes the other's time and all servers
 * have the same. Where that cannot be had, the system places them, and comparisons favour who uses more threads.
 */
import { spawnSync } from 'node:child_process';
import { sayLoudly } from './say-loudly.ts';

type Command = readonly string[];

export const onServerCore = (command: Command) => onCore(0, command);
export const onClientCore = (command: Command) => onCore(1, command);

/**
 * For clients whose waiting nobody measures: they share the core of the client that measures, but have it only while
 * that one does not want it. With the lowest priority only, they would keep it from the core for milliseconds at a time.
 */
export const behindClients = (command: Command) => onCore(1, command, ['chrt', '--idle', '0']);

function onCore(core: 0 | 1, command: Command, policy: Command = []): Command {
  canBind ??= findOut();
  return canBind ? ['taskset', '-c', String(core), ...policy, ...command] : command;
}

let canBind: boolean | undefined;

/** `taskset` may be missing, and so may a second core. */
function findOut(): boolean {
  const isPossible = spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;
  const isSecondCoreThere = spawnSync('taskset', ['-c', '1', 'true']).status === 0;
  if (isPossible && isSecondCoreThere) return true;
  sayLoudly('servers and clients share all cores: it takes `taskset` and two cores to part them');
  return false;
}
