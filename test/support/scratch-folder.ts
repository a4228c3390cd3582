/**
 * Creates a folder, in memory if the machine has enough: a run makes and deletes thousands of small files, above all for
 * clusters of Postgres, and on a disk each file costs time.
 */
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** All files of a run need less than this at once. */
const ENOUGH_BYTES = 8 * 2 ** 30;

/** Creates the folder. The caller removes it. */
export async function createScratchFolder(name: string): Promise<string> {
  return mkdtemp(join((await hasMemory()) ? IN_MEMORY : tmpdir(), `waypost-${name}-`));
}

async function hasMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // Not every system has /dev/shm.
    return false;
  }
}
