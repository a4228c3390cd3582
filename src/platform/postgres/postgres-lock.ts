/**
 * The lock of a server's folder: `postmaster.pid`, with the id of its process. After a crash of the machine, or a new start of a container,
 * another program or a thread may have that id.
 */
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../error-code.ts';
import { ConfigError } from '../process/config-error.ts';
import { steadyNow } from '../steady-clock.ts';

/** The longest time in which a server ends after the loss of its owner. After that, the folder counts as in use. */
const ORPHAN_TIMEOUT_MS = 5000;

/** Waits for the end of a server that has lost its owner. Throws ConfigError if a server goes on with the folder. */
export async function waitForOrphan(cluster: string): Promise<void> {
  const deadline = steadyNow() + ORPHAN_TIMEOUT_MS;
  for (;;) {
    const pid = await lockingPid(cluster);
    if (pid === undefined || !isAlive(pid)) return;
    if (!(await isServer(pid, cluster))) break;
    if (steadyNow() > deadline) {
      throw new ConfigError(
        'DATA_DIR is in use by another process. Stop that one first, or set DATA_DIR to another folder.',
      );
    }
    await delay(50);
  }
  // Postgres would take the other program for a server. Children of a killed server go on for a moment, and need the lock until they end.
  if (!(await isWorkedIn(cluster))) await rm(join(cluster, 'postmaster.pid'), { force: true });
}

async function lockingPid(cluster: string): Promise<number | undefined> {
  const lock = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(lock, 10);
  return pid > 0 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Whether a process is the server of the folder. If its working folder cannot be read, its name counts; if neither can, it is. */
async function isServer(pid: number, cluster: string): Promise<boolean> {
  const folder = await folderOf(pid);
  if (folder !== undefined) return folder === (await realpath(cluster));
  const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'postgres');
  return program.startsWith('postgres');
}

async function isWorkedIn(cluster: string): Promise<boolean> {
  const path = await realpath(cluster);
  for (const name of await readdir('/proc')) {
    if (/^\d+$/.test(name) && (await folderOf(name)) === path) return true;
  }
  return false;
}

/** The working folder of a process. That of a server is the folder of its data. */
const folderOf = (pid: number | string) => readlink(`/proc/${pid}/cwd`).catch(() => undefined);
