/** All in one, as `npm start` runs it, on a new folder. */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Process } from '../../../tools/start-command.ts';
import { borrow } from '../../support/borrow.ts';
import type { DnsServer } from '../../support/dns-server.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { type Environment, PATIENT, startProcess } from './processes.ts';
import { startSeparately } from './separate-waypost.ts';
import { isOnS3 } from './store.ts';

/** Without it, sites with a certificate redirect to HTTPS. all-in-one-https.test.ts is about that. */
const PLAIN_ORIGIN: Environment = { PUBLIC_ORIGIN: 'http://{hostname}' };

/** The addresses of a running Waypost. */
export interface Addresses {
  readonly dataDir: string;
  readonly apiUrl: string;
  readonly hostingUrl: string;
  /** The server that it asks for CNAMEs; absent if names below .localhost are enough. */
  readonly dns?: DnsServer;
}

/** The service under test: all in one, or several processes that do the same together. */
export interface Service extends Addresses, AsyncDisposable {
  readonly process: Process;
  /** The settings with which commands find its database and its store. */
  readonly settings: Environment;
}

export interface Waypost extends Service {
  /** The key of the demo account, on the enterprise plan. */
  readonly demoKey: string;
}

export interface Folder extends AsyncDisposable {
  readonly path: string;
}

export async function createFolder(): Promise<Folder> {
  const path = await createScratchFolder('service');
  // Postgres may still be writing its last files after its owner was killed.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 20 }) };
}

/** Starts the service of this run on `folder`: all in one, or separate processes on S3. */
export async function startService(environment: Environment, folder: string): Promise<Service> {
  return isOnS3 ? startSeparately(environment, folder) : startWaypost(environment, folder);
}

/** A copy of a DATA_DIR that another all in one has initialised. A start on it is no first start, and costs less. */
export async function createDataFolder(initialised?: string): Promise<Folder> {
  const folder = await createFolder();
  const from = initialised ?? (await borrow('dataFolder'));
  // It keeps the owner of the cluster, which is not us if we are root.
  await promisify(execFile)('cp', ['-a', `${from}/.`, folder.path]);
  return folder;
}

/** Starts all in one on `folder`, which stays. Without `folder` it uses an initialised one, and removes it at the end. */
export async function startWaypost(environment: Environment = {}, folder?: string): Promise<Waypost> {
  const own = folder === undefined ? await createDataFolder() : undefined;
  const dataDir = folder ?? own!.path;
  const started = startAllInOne(dataDir, environment);
  const end = async () => {
    await started.stop();
    await own?.[Symbol.asyncDispose]();
  };
  try {
    await started.says('Waypost is running');
    const { apiKey, apiUrl, hostingUrl } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
    return {
      dataDir,
      apiUrl,
      hostingUrl,
      demoKey: apiKey,
      process: started,
      settings: { DATA_DIR: dataDir },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Starts the bare process, for starts that should fail. */
export function startAllInOne(dataDir: string, environment: Environment = {}): Process {
  const defaults = {
    DATA_DIR: dataDir,
    API_PORT: '0',
    HOSTING_PORT: '0',
    HOSTING_TLS_PORT: '0',
    IDLE_GRACE_MS: '0',
    LOG_LEVEL: 'warn',
    ...PLAIN_ORIGIN,
    ...PATIENT,
  };
  return startProcess('src/all-in-one.ts', { ...defaults, ...environment });
}

/** Runs the command line on the database of a running all in one, and returns its output. */
export async function cli(dataDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli({ DATA_DIR: dataDir }, ...args);
  if (code !== 0) throw new Error(`waypost ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** The commands of all tests run in one process (test/support/operator.ts). */
export function runCli(environment: Environment, ...args: string[]) {
  return borrow('command', {
    environment: { LOG_LEVEL: 'warn', ...PLAIN_ORIGIN, ...PATIENT, ...environment },
    args,
  });
}
