/** Starts an all-in-one program for the demo and the benches: a process on free ports with a temporary folder. Disposal removes both. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { type Demo, readDemo } from '../src/compose/demo-account.ts';
import { environment } from '../src/platform/process/environment.ts';
import { memoryOf } from './process-memory.ts';
import { startCommand } from './start-command.ts';

/**
 * The parameters of `npm start`, to run it without npm. The loading of `.env` is left out, because that file is meant for another process.
 */
const PARAMETERS = packageJson.scripts.start.split(' ').slice(1).filter(isNoEnvFile);

export function isNoEnvFile(parameter: string): boolean {
  return !parameter.includes('load-env-file');
}

export interface WaypostProcess extends Demo, AsyncDisposable {
  readonly dataDir: string;
  readonly pid: number;
  /** Peak resident memory so far, without Postgres. Undefined where the system does not report it. */
  peakMemoryBytes(): Promise<number | undefined>;
}

export async function startWaypost(settings: Readonly<Record<string, string>> = {}): Promise<WaypostProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-'));
  const all = {
    ...environment(),
    LOG_LEVEL: 'warn',
    // Do not wait for idle connections of other clients: the demo has none.
    IDLE_GRACE_MS: '0',
    ...settings,
    DATA_DIR: dataDir,
    API_PORT: '0',
    HOSTING_PORT: '0',
    HOSTING_TLS_PORT: '0',
    // The demo and the benches read the sitemaps over plain HTTP.
    PUBLIC_ORIGIN: 'http://{hostname}',
    // Ignore a configured origin: it has another port, and links would lead there.
    DASHBOARD_ORIGIN: '',
  };
  const started = startCommand([process.execPath, ...PARAMETERS], { environment: all, showsErrors: true });
  const end = async () => {
    await started.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await started.says('Waypost is running');
    const demo = await readDemo(join(dataDir, 'demo.json'));
    const { pid } = started;
    return {
      ...demo!,
      dataDir,
      pid,
      peakMemoryBytes: async () => (await memoryOf(pid))?.peak,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
