/**
 * A new folder in memory, where the machine has plenty: thousands of small files come and go in a run, for clusters of Postgres
 * above all, and a disk finds room for each.
 */
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** More than all files of a run need at once. */
const ENOUGH_BYTES = 8 * 2 ** 30;

/** The caller removes it. */
export async function createScratchFolder(name: string): Promise<string> {
  return mkdtemp(join((await hasMemory()) ? IN_MEMORY : tmpdir(), `waypost-${name}-`));
}

async function hasMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // Not every system has it.
    return false;
  }
}
