/** Files and folders that only their owner may read. After a crash, a file is whole, or as it was before the write. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, hasCode } from '../error-code.ts';
import { ConfigError } from './config-error.ts';

/**
 * Returns undefined if there is no such file. Throws ConfigError if it cannot be read: another user may have written it. A caller that
 * takes it for absent replaces a file that must stay.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new ConfigError(`${path} cannot be read (${errorCode(cause)}). Run as the user that owns it.`, {
      cause,
    });
  }
}

/** `move`: gives the written file its name; by default in place of a former file. */
export async function writePrivateFile(
  path: string,
  text: string,
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await move(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Creates the folder if it is missing, and restricts the permissions of an existing one. */
export async function makePrivateFolder(path: string): Promise<void> {
  // If we are root, Postgres runs as another user, who must pass through the parent folder, but need not list it.
  await mkdir(dirname(path), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
