/** Gives a file a name that no other file has yet. */
import { link, rename, rm } from 'node:fs/promises';
import { hasCode } from './error-code.ts';

/** Moves a file to a name that must be new: of several moves to one name, one succeeds, and the others throw EEXIST. */
export async function moveNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // FAT, exFAT and some network file systems have no hard links. A mount of rclone says EIO.
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EIO')) throw error;
    return rename(from, to);
  }
  await rm(from);
}
