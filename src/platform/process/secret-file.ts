/** Creates a random secret once, and keeps the secret in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { hasCode } from '../error-code.ts';
import { moveNew } from '../move-new.ts';
import { Secret } from '../secret.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** `make`: the text of a new secret, by default 256 random bits. */
export async function secretFile(
  path: string,
  make = () => randomBytes(32).toString('base64url'),
): Promise<Secret> {
  const found = await readPrivateFile(path);
  const kept = found?.trim() ?? '';
  if (kept !== '') return new Secret(kept);
  const secret = make();
  try {
    await writePrivateFile(path, `${secret}\n`, found === undefined ? moveNew : undefined);
  } catch (error) {
    // Another process has started on the same folder at the same time. Both use the secret of the one that was first.
    if (hasCode(error, 'EEXIST')) return secretFile(path, make);
    throw error;
  }
  return new Secret(secret);
}
