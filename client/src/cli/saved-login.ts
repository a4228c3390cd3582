/** Saves and reads the server and the key of `waypost login`, in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { badSetting } from '../waypost-error.ts';
import { environment } from './environment.ts';

export interface Login {
  readonly url: string;
  readonly apiKey: string;
}

/** Follows the XDG Base Directory Specification, by which relative paths are ignored. */
export function loginPath(): string {
  const { XDG_CONFIG_HOME = '' } = environment();
  const folder = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(folder, 'waypost', 'config.json');
}

/** Returns undefined before the first login. */
export async function readLogin(): Promise<Login | undefined> {
  const path = loginPath();
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // ENOTDIR means that the user's home is /dev/null, as for some services.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw badSetting(`Cannot read ${path}: ${(error as Error).message}`);
  }
  const login = parseLogin(text);
  // The message must not contain the text, which may have the key.
  if (login === undefined) throw badSetting(`${path} is damaged. Run: waypost login`);
  return login;
}

function parseLogin(text: string): Login | undefined {
  try {
    const { url, apiKey } = JSON.parse(text);
    return typeof url === 'string' && typeof apiKey === 'string' ? { url, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

export async function saveLogin(login: Login): Promise<void> {
  const path = loginPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Rename the complete file into place, so that another process never reads a part.
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, `${JSON.stringify(login, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
