/** What only its owner may read: files that hold secrets, whole or absent whatever crashes, and folders. */
import { chmod, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

/** Makes the folder where it is missing, and tightens one that is there. */
export async function makePrivateFolder(path: string): Promise<void> {
  // The folders above it are not ours to close: Postgres runs below one of them, maybe as another user.
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
