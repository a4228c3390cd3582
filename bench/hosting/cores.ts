/**
 * Runs servers on one core and clients on another. So servers and clients take no time from each other, and all servers have the same core.
 * If this is not possible, the system chooses the cores, and comparisons favour the server with more threads.
 */
import { spawnSync } from 'node:child_process';
import { sayLoudly } from './say-loudly.ts';

type Command = readonly string[];

export const onServerCore = (command: Command) => onCore(0, command);
export const onClientCore = (command: Command) => onCore(1, command);

/**
 * Runs clients that are not measured. They share the core of the measuring client, but get it only while that client is idle. With only the
 * lowest `nice` priority, they would keep the measuring client from the core for milliseconds at a time.
 */
export const behindClients = (command: Command) => onCore(1, command, ['chrt', '--idle', '0']);

function onCore(core: 0 | 1, command: Command, policy: Command = []): Command {
  canBind ??= findOut();
  return canBind ? ['taskset', '-c', String(core), ...policy, ...command] : command;
}

let canBind: boolean | undefined;

/** Finds out whether processes can be bound to cores: `taskset` or a second core may be missing. */
function findOut(): boolean {
  const isPossible = spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;
  const isSecondCoreThere = spawnSync('taskset', ['-c', '1', 'true']).status === 0;
  if (isPossible && isSecondCoreThere) return true;
  sayLoudly('servers and clients share all cores: separating them needs `taskset` and two cores');
  return false;
}
