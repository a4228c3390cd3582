/**
 * API, hosting and jobs as separate processes over one Postgres and one object storage. Faults happen in proxies in
 * front of the two. All three processes share the proxies.
 */
import { readdir, readlink } from 'node:fs/promises';
import { vi } from 'vitest';
import { MARK_KEY } from '../../../src/core/schema/storage-mark.ts';
import { createAccount } from '../../../src/features/accounts/create-account.ts';
import { CRAWLS_PREFIX } from '../../../src/features/crawls/crawl-object.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { freePort } from '../../../tools/free-port.ts';
import type { Process } from '../../../tools/start-command.ts';
import { type Customer, customerWith } from '../../service/support/customer.ts';
import { type Environment, serves, startProcess } from '../../service/support/processes.ts';
import { addVerifiedDomain } from '../../support/accounts.ts';
import { createKey } from '../../support/create-key.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { checkComparisons, checkJobs, checkRows, compareKeys, referencedKeys } from './check-kept.ts';
import { openOwnStores, storedKeys } from './own-stores.ts';

/** The time for starts, ends and recoveries on a machine that is busy with other tests. */
export const SOON = { timeout: 30_000, interval: 50 };

/** After a lost answer, the lease on a job ends after 30 s. */
const SETTLED = { timeout: 90_000, interval: 50 };

export interface RunningService extends AsyncDisposable {
  readonly apiUrl: string;
  readonly hostingUrl: string;
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  /** A direct connection, without the proxy. */
  readonly database: Database;
  readonly bucket: string;
  readonly api: Process;
  /** A new account with a verified domain. */
  addCustomer(): Promise<{ customer: Customer; hostname: string }>;
  /** The keys of all objects below a prefix, read without the proxy. */
  stored(prefix?: string): Promise<string[]>;
  restartApi(): Promise<void>;
  /** Cuts the processes' connections to Postgres and limits new ones to this number; -1 stands for no limit. */
  limitConnections(most: number): Promise<void>;
  /**
   * Runs at once everything that jobs and collection would do later. Throws unless the store holds exactly what is
   * live.
   */
  checkStored(): Promise<void>;
  /** Resolves when the API reports good health. */
  isServing(): Promise<void>;
}

/** `environment`: settings beyond the necessary ones. STORAGE_DIR replaces S3. */
export async function startService(environment: Environment = {}): Promise<RunningService> {
  await using scope = new AsyncDisposableStack();
  const { name, server, databaseUrl, database, s3Url, storage, s3Settings } = await openOwnStores(scope);

  // A separate role, so that a test can lock it out. It has the rights of the owner of the tables.
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
  let api = start('src/api-server.ts');
  const hosting = start('src/hosting-server.ts');
  const jobs = start('src/job-runner.ts');
  await serves(api, apiUrl);
  await serves(hosting, hostingUrl);

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
      const { key } = await createKey(database, newId, accountId, 'faults');
      const { hostname } = await addVerifiedDomain(database, accountId);
      return { customer: customerWith({ dataDir: '', apiUrl, hostingUrl }, accountId, key), hostname };
    },
    stored,
    async restartApi() {
      await api.exited;
      api = startProcess('src/api-server.ts', shared);
      const restarted = api;
      opened.defer(async () => void (await restarted.stop()));
      await serves(api, apiUrl);
    },
    async limitConnections(most) {
      await server.query(`ALTER ROLE ${name} CONNECTION LIMIT ${most}`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name]);
    },
    async checkStored() {
      await vi
        .waitFor(async () => {
          await database.query(
            `UPDATE graphile_worker._private_jobs SET run_at = now()
            WHERE locked_at IS NULL AND key IS DISTINCT FROM (SELECT identifier FROM graphile_worker._private_tasks t WHERE t.id = task_id);
           UPDATE site_changes SET due_at = now();
           UPDATE garbage SET collect_after = now();
           UPDATE sitemaps SET compare_at = now() WHERE compare_at > now() AND coalesce(comparing_until <= now(), true);
           SELECT graphile_worker.add_job('garbage.collect', job_key => 'faults') WHERE EXISTS (SELECT FROM garbage)`,
          );
          // Hosting may write counts at any moment, and the next import may be a minute away.
          if ((await stored()).some((key) => key.startsWith(CRAWLS_PREFIX))) {
            await database.query(
              `SELECT graphile_worker.add_job('crawls.import', job_key => 'faults-crawls')`,
            );
          }
          // Only briefly: a job that failed in the meantime waits for its next attempt, and the caller tries again.
          await vi.waitFor(() => checkJobs(database), { timeout: 1000, interval: 50 });
          await checkComparisons(database);
          await checkRows(database);
          compareKeys([...(await referencedKeys(database)), MARK_KEY], await stored());
        }, SETTLED)
        .catch((cause) => {
          throw new Error(
            `${cause.message}\nthe end of the log of the jobs process:\n${jobs.stdout().slice(-8000)}`,
            { cause },
          );
        });
    },
    isServing: () => serves(api, apiUrl),
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

/** The resources of a process, to compare before and after: threads, open files and connections. */
export async function resourcesOf(pid: number): Promise<{ threads: number; sockets: number; files: number }> {
  const [threads, numbers] = await Promise.all([readdir(`/proc/${pid}/task`), readdir(`/proc/${pid}/fd`)]);
  const targets = await Promise.all(
    numbers.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => '')),
  );
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  const files = targets.filter((target) => target.startsWith('/') && !target.startsWith('/dev/')).length;
  return { threads: threads.length, sockets, files };
}
