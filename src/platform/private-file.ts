/** Files that hold secrets: whole or absent, whatever crashes, and readable by their owner alone. */
import { open, rename } from 'node:fs/promises';

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
