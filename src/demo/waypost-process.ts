/** Starts an all in one for the demo: a process on free ports with a temporary folder. Disposing removes both. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { environment } from '../platform/process/environment.ts';
import { memoryOf } from '../platform/process/process-memory.ts';
import { steadyNow } from '../platform/steady-clock.ts';
import { type Demo, readDemo } from './demo-account.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** Runs what `npm start` runs, without npm in between, and without `.env`, which is meant for another process. */
const PARAMETERS = packageJson.scripts.start.split(' ').slice(1).filter(isNoEnvFile);
/** A first start takes 1 to 2 s, and longer on a slow disk. */
const START_TIMEOUT_MS = 60_000;

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
  const env = {
    ...environment(),
    LOG_LEVEL: 'warn',
    // The grace is for idle connections of other clients. The demo has none.
    IDLE_GRACE_MS: '0',
    ...settings,
    DATA_DIR: dataDir,
    API_PORT: '0',
    HOSTING_PORT: '0',
    HOSTING_TLS_PORT: '0',
    // Its sitemaps are read over plain HTTP, too.
    PUBLIC_ORIGIN: 'http://{hostname}',
    // Its port is another one, so its address is, too.
    DASHBOARD_ORIGIN: '',
  };
  const child = spawn(process.execPath, PARAMETERS, {
    cwd: PROJECT,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const demo = await waitForDemo(child, join(dataDir, 'demo.json'));
    const pid = child.pid!;
    return {
      ...demo,
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

/** `demo.json` is written when all servers listen. */
async function waitForDemo(child: ChildProcess, path: string): Promise<Demo> {
  const deadline = steadyNow() + START_TIMEOUT_MS;
  while (steadyNow() < deadline) {
    const demo = await readDemo(path);
    if (demo !== undefined) return demo;
    if (child.exitCode !== null) throw new Error(`Waypost ended with exit code ${child.exitCode}`);
    await delay(20);
  }
  throw new Error(`Waypost did not start within ${START_TIMEOUT_MS / 1000} s`);
}
