/**
 * Decides how to launch the embedded Postgres, so that it never runs as root, and on Linux ends with its owner.
 *
 * Postgres refuses to run as root. If we are root, it runs in a user namespace, in which root has another number. So its files still belong
 * to root, and it can reach a project below a closed home folder. Where namespaces are not permitted (most containers), it runs as another
 * user, who must be able to reach the folders.
 */
import { execFile } from 'node:child_process';
import { chown, readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { promisify } from 'node:util';
import { ConfigError } from '../process/config-error.ts';

const run = promisify(execFile);

/** The command prefix for the server. `owner`: the user who owns its files; undefined if that is us. */
export interface Launch {
  readonly command: readonly string[];
  readonly owner: { uid: number; gid: number } | undefined;
}

/** `folder` holds the data, `binary` is the server. Throws ConfigError when we are root and cannot run it. */
export async function chooseLaunch(folder: string, binary: string): Promise<Launch> {
  if (platform() !== 'linux') return { command: [], owner: undefined };
  // Whenever the owner dies, the server gets a fast shutdown.
  const tied = ['setpriv', '--pdeathsig', 'INT'];
  if (process.getuid?.() !== 0) return { command: (await works(tied)) ? tied : [], owner: undefined };

  const { uid, gid } = await findUnprivilegedUser();
  const namespace = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, ...tied];
  if (await works(namespace)) return { command: namespace, owner: undefined };

  const other = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig', 'INT'];
  await chown(folder, uid, gid);
  for (const path of [folder, binary]) {
    if (await works([...other, 'test', '-x', path])) continue;
    throw new ConfigError(
      `Postgres cannot run as root, and the user that it would run as cannot reach ${path === folder ? 'DATA_DIR' : 'node_modules'}. ` +
        'Run as an ordinary user, or move it to a folder that other users can reach.',
    );
  }
  return { command: other, owner: { uid, gid } };
}

async function works(command: readonly string[]): Promise<boolean> {
  const [file = '', ...rest] = command;
  const hasProgram = rest.includes('test');
  return run(file, hasProgram ? rest : [...rest, 'true']).then(
    () => true,
    () => false,
  );
}

async function findUnprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8');
  const user = /^postgres:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd);
  if (user === null) throw new ConfigError('Postgres cannot run as root. Run as an ordinary user.');
  return { uid: Number(user[1]), gid: Number(user[2]) };
}
