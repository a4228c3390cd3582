/** Creates a random secret once, and keeps the secret in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { Secret } from '../secret.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** `make`: the text of a new secret, by default 256 random bits. */
export async function secretFile(
  path: string,
  make = () => randomBytes(32).toString('base64url'),
): Promise<Secret> {
  const kept = (await readPrivateFile(path))?.trim() ?? '';
  if (kept !== '') return new Secret(kept);
  const secret = make();
  await writePrivateFile(path, `${secret}\n`);
  return new Secret(secret);
}
