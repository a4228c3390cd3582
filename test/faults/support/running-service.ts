/**
 * API, hosting and jobs as processes of their own over one Postgres and one object storage, with proxies in front
 * of both that the faults of a test happen in. All three share the proxies.
 */
import { readdir, readlink } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { createAccount, createKey } from '../../../src/accounts/create-account.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { type Customer, customerWith } from '../../service/support/customer.ts';
import { freePort } from '../../service/support/free-port.ts';
import { type Environment, type Process, startProcess } from '../../service/support/processes.ts';
import { send } from '../../service/support/send.ts';
import { addVerifiedDomain } from '../../support/accounts.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { checkJobs, checkRows, compareKeys, referencedKeys } from './check-kept.ts';
import { openOwnStores, storedKeys } from './own-stores.ts';

/** What starting, ending and recovering may take on a machine that is busy with other tests. */
export const SOON = { timeout: 30_000, interval: 50 };

/** Of a job whose answer was lost the lease ends after 30 s. */
const SETTLED = { timeout: 90_000, interval: 50 };

export interface RunningService extends AsyncDisposable {
  readonly apiUrl: string;
  readonly hostingUrl: string;
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  /** Not through the proxy. */
  readonly database: Database;
  readonly bucket: string;
  readonly api: Process;
  /** A new account with a verified domain. */
  addCustomer(): Promise<{ customer: Customer; hostname: string }>;
  /** The keys of all that is stored below a prefix; not through the proxy. */
  stored(prefix?: string): Promise<string[]>;
  restartApi(): Promise<void>;
  /** Cuts the processes' connections to Postgres, and lets them have so many from now on; -1 for any number. */
  limitConnections(most: number): Promise<void>;
  /** Does at once what jobs and collection do in time, and throws when the store holds anything else than what is live. */
  checkStored(): Promise<void>;
  /** Resolves when the API, asked for its health, is well. */
  isServing(): Promise<void>;
}

/** `environment`: beyond what makes the processes run; STORAGE_DIR in it takes the place of S3. */
export async function startService(environment: Environment = {}): Promise<RunningService> {
  await using scope = new AsyncDisposableStack();
  const { name, server, databaseUrl, database, s3Url, storage, s3Settings } = await openOwnStores(scope);

  // A role of its own, for it can be kept out. It has what the owner of the tables has.
  await server.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}' IN ROLE waypost`);
  scope.defer(async () => void (await server.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)));
  const postgresAddress = Object.assign(new URL(databaseUrl.reveal()), { username: name, password: name });
  const postgres = scope.use(
    await startFaultProxy({ port: Number(postgresAddress.port), protocol: 'postgres' }),
  );
  postgresAddress.port = String(postgres.port);
  const s3 = scope.use(await startFaultProxy({ port: Number(s3Url.port), protocol: 'http' }));

  const [apiPort, hostingPort] = [await freePort(), await freePort()];
  const store = environment.STORAGE_DIR ? {} : { S3_ENDPOINT: `http://127.0.0.1:${s3.port}`, ...s3Settings };
  const shared = {
    // As npm start:api has it.
    NODE_OPTIONS: '--max-semi-space-size=2',
    LOG_LEVEL: 'warn',
    IDLE_GRACE_MS: '0',
    SITE_FRESH_MS: '100',
    KEEP_REPLACED_MS: '1',
    CNAME_BASE: 'cname.example.net',
    CNAME_SECRET: 'for tests',
    PLANS: '{"enterprise":{"requestsPerMinute":1000000}}',
    DATABASE_URL: postgresAddress.href,
    API_PORT: String(apiPort),
    HOSTING_PORT: String(hostingPort),
    ...store,
    ...environment,
  };
  const start = (script: string) => {
    const started = startProcess(script, shared);
    scope.defer(async () => void (await started.stop()));
    return started;
  };
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const hostingUrl = `http://127.0.0.1:${hostingPort}`;
  const isWell = (url: string) =>
    vi.waitFor(async () => expect((await send(`${url}/healthz`)).status).toBe(200), SOON);
  let api = start('src/api-server.ts');
  start('src/hosting-server.ts');
  start('src/job-runner.ts');
  await isWell(apiUrl);
  await isWell(hostingUrl);

  const stored = (prefix?: string) =>
    environment.STORAGE_DIR === undefined
      ? storedKeys(storage, prefix)
      : filesBelow(environment.STORAGE_DIR, prefix);

  const opened = scope.move();
  return {
    apiUrl,
    hostingUrl,
    postgres,
    s3,
    database,
    bucket: name,
    get api() {
      return api;
    },
    async addCustomer() {
      const accountId = await createAccount(database, newId, 'faults', 'enterprise');
      const { key = '' } = (await createKey(database, newId, accountId, 'faults')) ?? {};
      const { hostname } = await addVerifiedDomain(database, accountId);
      return { customer: customerWith({ dataDir: '', apiUrl, hostingUrl }, accountId, key), hostname };
    },
    stored,
    async restartApi() {
      await api.exited;
      api = startProcess('src/api-server.ts', shared);
      const restarted = api;
      opened.defer(async () => void (await restarted.stop()));
      await isWell(apiUrl);
    },
    async limitConnections(most) {
      await server.query(`ALTER ROLE ${name} CONNECTION LIMIT ${most}`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name]);
    },
    async checkStored() {
      await vi.waitFor(async () => {
        await database.query(
          `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_at IS NULL;
           UPDATE garbage SET collect_after = now();
           SELECT graphile_worker.add_job('garbage.collect', job_key => 'faults') WHERE EXISTS (SELECT FROM garbage)`,
        );
        // Not for long: one that has failed meanwhile waits for its next attempt, and is called here again.
        await vi.waitFor(() => checkJobs(database), { timeout: 1000, interval: 50 });
        await checkRows(database);
        compareKeys(await referencedKeys(database), await stored());
      }, SETTLED);
    },
    isServing: () => isWell(apiUrl),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function filesBelow(folder: string, prefix = ''): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return files
    .map((file) => `${file.parentPath}/${file.name}`.slice(folder.length + 1))
    .filter((key) => key.startsWith(prefix))
    .sort();
}

/** What a process holds, to be compared before and after: threads, open files and connections. */
export async function resourcesOf(pid: number): Promise<{ threads: number; sockets: number; files: number }> {
  const [threads, numbers] = await Promise.all([readdir(`/proc/${pid}/task`), readdir(`/proc/${pid}/fd`)]);
  const targets = await Promise.all(
    numbers.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => '')),
  );
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  const files = targets.filter((target) => target.startsWith('/') && !target.startsWith('/dev/')).length;
  return { threads: threads.length, sockets, files };
}
