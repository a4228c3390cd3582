/**
 * The service for a suite with SERVICE_STORAGE=s3: migrate, then API, hosting and jobs as separate processes, on a
 * database of the test run's Postgres and a bucket. It replaces all in one. DATA_DIR holds only the address of the
 * database, where the command line and the tests look for it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../tools/free-port.ts';
import type { Process } from '../../../tools/start-command.ts';
import { borrow } from '../../support/borrow.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { type Environment, PATIENT, runProcess, serves, startProcess } from './processes.ts';
import { createStore, nameFor, storeSettings } from './store.ts';
import type { Service } from './waypost.ts';

export interface Backend {
  /** The settings that all processes share. */
  readonly settings: Environment;
  /** Verifies every domain that a customer of the suite creates. */
  readonly dns: DnsServer;
}

/** Creates the database, the store and the DNS server that the processes share. `tree`: the folder of the version that migrates. */
export async function openBackend(dataDir: string, tree?: string): Promise<Backend> {
  await borrow('pages');
  const DATABASE_URL = await createDatabase(dataDir);
  await createStore(dataDir);
  const dns = await startDnsServer();
  const settings = {
    DATABASE_URL,
    ...storeSettings(dataDir),
    CNAME_BASE: 'cname.waypost-service.net',
    CNAME_SECRET: 'a secret that is kept for ever',
    DNS_SERVERS: dns.address,
    LOG_LEVEL: 'warn',
    IDLE_GRACE_MS: '0',
    ...PATIENT,
  };
  const { code, stderr } = await runProcess('src/migrate.ts', settings, [], tree);
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${stderr}`);
  return { settings, dns };
}

/** The counterpart of `startWaypost` for separate processes. */
export async function startSeparately(environment: Environment, dataDir: string): Promise<Service> {
  const { settings, dns } = await openBackend(dataDir);
  // Pebble must know the port of hosting before hosting starts.
  const [apiPort, hostingPort] = [await freePort(), Number(environment.HOSTING_PORT) || (await freePort())];
  const all = {
    ...settings,
    PUBLIC_ORIGIN: 'http://{hostname}',
    ...environment,
    API_PORT: String(apiPort),
    HOSTING_PORT: String(hostingPort),
  };
  const api = startProcess('src/api-server.ts', all);
  const hosting = startProcess('src/hosting-server.ts', all);
  const process = together([api, hosting, startProcess('src/job-runner.ts', all)]);
  // Runs even when a test kills them.
  const ended = process.exited.finally(() => dns[Symbol.asyncDispose]());
  const addresses = { dataDir, ...addressesOf(apiPort, hostingPort), dns };
  const end = async () => {
    await process.stop();
    await ended;
  };
  try {
    await serves(api, addresses.apiUrl);
    await serves(hosting, addresses.hostingUrl);
  } catch (error) {
    await end();
    throw error;
  }
  return { ...addresses, process, settings: all, [Symbol.asyncDispose]: end };
}

export function addressesOf(apiPort: number, hostingPort: number) {
  return { apiUrl: `http://127.0.0.1:${apiPort}`, hostingUrl: `http://127.0.0.1:${hostingPort}` };
}

/** Empty, unless an earlier start used the same `dataDir`. Returns the address, which it also writes to DATA_DIR. */
export async function createDatabase(dataDir: string): Promise<string> {
  const name = nameFor(dataDir);
  const serverUrl = await borrow('postgres');
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'url'), url, { mode: 0o600 });
  return url;
}

/** Several processes as one. */
function together(processes: readonly [Process, ...Process[]]): Process {
  const stop = async () => {
    const [first] = await Promise.all(processes.map((process) => process.stop()));
    return first!;
  };
  return {
    pid: processes[0].pid,
    // Waits for all of them: an all in one that has ended leaves nothing running either.
    exited: Promise.all(processes.map(({ exited }) => exited)).then(([first]) => first!),
    stdout: () => processes.map((process) => process.stdout()).join(''),
    stderr: () => processes.map((process) => process.stderr()).join(''),
    kill: (signal) => {
      for (const process of processes) process.kill(signal);
    },
    says: async (text) => void (await Promise.race(processes.map((process) => process.says(text)))),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
