/**
 * The system as in production: separate processes over one Postgres and one S3 store, with proxies in between that
 * break the traffic. It has one verified domain; `begin` replaces it by a new one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { enqueueJob } from '../../../src/core/jobs/job-store.ts';
import { MARK_KEY } from '../../../src/core/schema/storage-mark.ts';
import { createAccount } from '../../../src/features/accounts/create-account.ts';
import { crawlsKey, packCounts } from '../../../src/features/crawls/crawl-object.ts';
import { addGarbage } from '../../../src/features/sites/garbage-store.ts';
import { uploadPrefix } from '../../../src/features/sites/site.ts';
import { hasCode } from '../../../src/platform/error-code.ts';
import { newId, randomText } from '../../../src/platform/ids.ts';
import { newKeyRingText } from '../../../src/platform/key-ring.ts';
import { type Database, slowStatement } from '../../../src/platform/postgres/database.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import { freePort } from '../../../tools/free-port.ts';
import type { Process } from '../../../tools/start-command.ts';
import { serves, startProcess, starts } from '../../service/support/processes.ts';
import { type Received, send } from '../../service/support/send.ts';
import { addVerifiedDomain } from '../../support/accounts.ts';
import { BUCKET, type BucketHost, startBucketHost } from '../../support/bucket-host.ts';
import { createKey } from '../../support/create-key.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { startPageHost } from '../../support/page-host.ts';
import { type AskedLoad, LOADED_URLS, openLoad } from './asked-load.ts';
import {
  checkComparisons,
  checkJobs,
  checkRows,
  compareKeys,
  isAllCollected,
  referencedKeys,
  withoutOldChanges,
} from './check-kept.ts';
import { checkApi, checkHosting } from './check-served.ts';
import { ABSENT, History, type SentUpload, urlOf } from './history.ts';
import { isOnFolder, openOwnFolder, openOwnStores, storedKeys } from './own-stores.ts';
import { openParts, PARTED_URLS, type PartedUpload, type SessionCall } from './parted-upload.ts';

/**
 * The time for a process to start or a job to finish on a machine that is busy with other sweeps. A statement that
 * waits for others may take 30 s.
 */
const SOON = { timeout: 90_000, interval: 25 };

/**
 * The time in which an upload that has failed ends its other puts and deletes their objects. The garbage sweep of a test comes
 * at once, and may come before them.
 */
export const LATE_PUTS = { timeout: 10_000, interval: 50 };

/** A process, and the proxies between it and its two stores. */
export interface Victim {
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  kill(): void;
  /** Call it after `kill`. */
  restart(): Promise<void>;
  /** The end of its log. */
  log(): string;
  readonly isAlive: boolean;
}

export interface HeldUpload {
  readonly id: string;
  readonly sent: SentUpload;
}

export interface RepeatableUpload {
  /** Rejects when the answer is lost. */
  post(): Promise<Received>;
  /** Resolves to undefined if it was not acknowledged. */
  send(): Promise<Received | undefined>;
}

export interface World extends AsyncDisposable {
  readonly api: Victim;
  readonly jobs: Victim;
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly history: History;
  /** The pings that search engines got. Only uploads of `resend` ask for one. */
  readonly pings: readonly string[];
  /** Deletes everything, and creates a domain. */
  begin(): Promise<void>;
  /** Resolves to true if the upload was acknowledged. */
  upload(sitemapName: string, urlCount: number): Promise<boolean>;
  /** Uploads that are sent at once, several to one sitemap or to different ones. Resolves to true if all were acknowledged. */
  uploadTogether(uploads: readonly { sitemapName: string; urlCount: number }[]): Promise<boolean>;
  /** The same with an Idempotency-Key, to be sent as often as you like. */
  openUpload(sitemapName: string, urlCount: number, idempotencyKey: string): RepeatableUpload;
  /** The list of an upload that was sent before, with its last URL first. It asks for a ping. */
  resend(sent: SentUpload, idempotencyKey?: string): RepeatableUpload;
  /** The live list without its last URL, which is placed. Undefined if no answer acknowledges it. */
  shrink(sitemapName: string): Promise<Received | undefined>;
  /** A delta that removes the last URL and changes the first. Undefined if no answer acknowledges it. */
  change(sitemapName: string): Promise<Received | undefined>;
  /** An upload that comes in parts. Nothing is sent before its first `send`. */
  openParts(sitemapName: string): PartedUpload;
  /** A load from `bucket`. Nothing is asked before its first `send`. */
  openLoad(sitemapName: string): Promise<AskedLoad>;
  /** The host of the bucket. Its calls are never broken. */
  readonly bucket: BucketHost;
  /** An upload that must be acknowledged. */
  publish(sitemapName: string, urlCount: number): Promise<void>;
  deleteSitemap(sitemapName: string): Promise<boolean>;
  /** An upload that the guard of the domain must refuse. Undefined if no answer says that it is held. */
  hold(sitemapName: string, urlCount: number): Promise<HeldUpload | undefined>;
  /** Publishes a held upload by force. Resolves to true if that was acknowledged. */
  publishHeld(held: HeldUpload): Promise<boolean>;
  /** Brings back this upload, which must be a kept generation. Resolves to true if that was acknowledged. */
  rollBack(upload: SentUpload): Promise<boolean>;
  /** Leaves this many files of an upload whose process died long enough ago that they are garbage. */
  abandonUpload(files: number): Promise<void>;
  /** Leaves counts of hosting processes in the store: an object for each number of requests. */
  storeCrawls(requests: readonly number[]): Promise<void>;
  /**
   * Waits for work of the jobs process. Resolves to false if that process is dead, or if the work seems to get nowhere: `patienceMs`
   * (by default 3 s) after it began if a call was broken, and 30 s if none was.
   */
  jobsReach(isReached: () => Promise<boolean>, patienceMs?: number): Promise<boolean>;
  /** Runs a job without payload now. Resolves to true if it has succeeded. */
  runJob(name: 'garbage.collect' | 'crawls.import'): Promise<boolean>;
  /** Makes all changes of sites due. Resolves to true if the sites are written. */
  sitesAreWritten(): Promise<boolean>;
  /** Resolves to true if all uploads are compared. */
  comparisonsEnd(): Promise<boolean>;
  /** Waits for comparisons that must end. */
  compareAll(): Promise<void>;
  /** Ends the leases that a dead process left. */
  endLeases(): Promise<void>;
  /** Brings forward everything that time would bring: waiting jobs, and the collection of garbage. */
  passTime(): Promise<void>;
  /** Returns the answer of hosting at a path of the domain. */
  fetch(path: string): Promise<Received>;
  /** Checks what hosting serves, at a moment without writes. */
  checkHosting(): Promise<void>;
  /** Checks everything after `passTime`, including leftovers. The state that it sees is settled from then on. */
  checkAll(): Promise<void>;
}

/** SQLSTATE of deadlock_detected. */
const DEADLOCK = '40P01';

export async function startWorld(): Promise<World> {
  await using scope = new AsyncDisposableStack();
  const { databaseUrl, database, s3Url, s3Settings, ...own } = await openOwnStores(scope);
  const { storage, settings: storeSettings } = isOnFolder
    ? await openOwnFolder(scope)
    : { storage: own.storage, settings: s3Settings };
  const s3Endpoint = (port: number | string) =>
    isOnFolder ? {} : { S3_ENDPOINT: `http://${s3Url.hostname}:${port}` };
  const shared = {
    LOG_LEVEL: 'info',
    RENDER_THREADS: '1',
    IDLE_GRACE_MS: '0',
    SITE_FRESH_MS: '0',
    KEEP_REPLACED_MS: '0',
    OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    CERTIFICATE_KEYS: newKeyRingText(),
    // The judges crawl too.
    CRAWL_COUNTS_MS: '0',
    CNAME_BASE: 'cname.example.net',
    CNAME_SECRET: 'for tests',
    PLANS: '{"enterprise":{"requestsPerMinute":1000000}}',
    ...storeSettings,
    // A hanging call in a sweep never ends by itself.
    S3_TIMEOUT_MS: '1000',
  };
  async function startVictim(
    script: string,
    settings: Record<string, string>,
    isReady: (process: Process) => Promise<void>,
  ) {
    const postgresAddress = new URL(databaseUrl.reveal());
    const postgres = scope.use(
      await startFaultProxy({ port: Number(postgresAddress.port), protocol: 'postgres' }),
    );
    const s3 = scope.use(
      await startFaultProxy({ port: Number(s3Url.port), host: s3Url.hostname, protocol: 'http' }),
    );
    postgresAddress.port = String(postgres.port);
    const environment = {
      ...shared,
      ...settings,
      DATABASE_URL: postgresAddress.href,
      ...s3Endpoint(s3.port),
    };
    let process = startProcess(script, environment);
    let isAlive = true;
    scope.defer(async () => void (await process.stop()));
    await isReady(process);
    return {
      postgres,
      s3,
      kill() {
        isAlive = false;
        process.kill('SIGKILL');
      },
      get isAlive() {
        return isAlive;
      },
      log: () => process.stderr().slice(-3000),
      async restart() {
        await process.exited;
        process = startProcess(script, environment);
        isAlive = true;
        await isReady(process);
      },
    };
  }
  const isWorking = (process: Process) =>
    starts(process, () => expect(process.stderr()).toContain('working on jobs'));

  const [apiPort, hostingPort] = [await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const hostingUrl = `http://127.0.0.1:${hostingPort}`;
  const searchEngine = scope.use(await startPageHost('127.0.0.1'));
  const bucket = scope.use(await startBucketHost());
  const apiSettings = { API_PORT: String(apiPort), PING_URL: searchEngine.origin };
  const api = await startVictim('src/api-server.ts', apiSettings, (started) => serves(started, apiUrl));
  const jobs = await startVictim('src/job-runner.ts', {}, isWorking);
  const hosting = startProcess('src/hosting-server.ts', {
    ...shared,
    LOG_LEVEL: 'silent',
    ...s3Endpoint(s3Url.port),
    HOSTING_PORT: String(hostingPort),
  });
  scope.defer(async () => void (await hosting.stop()));
  await serves(hosting, hostingUrl);

  const accountId = await createAccount(database, newId, 'faults', 'enterprise');
  const { key } = await createKey(database, newId, accountId, 'faults');
  let domain = await addVerifiedDomain(database, accountId);
  let history = new History();

  const call = (method: string, path: string, body?: Iterable<Uint8Array>, more = {}) =>
    send(apiUrl + path, {
      method,
      headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }), ...more },
      body,
    });
  const callJson: SessionCall = (method, path, body, headers = {}) => {
    if (method === 'GET') return call(method, path);
    const bytes = Buffer.from(JSON.stringify(body));
    return call(method, path, [bytes], { 'Content-Length': String(bytes.length), ...headers });
  };
  /** A lost answer counts like "internal error": not acknowledged. A refusal throws. */
  async function acknowledgementOf(asked: ReturnType<typeof call>): Promise<Received | undefined> {
    const answer = await asked.catch(() => undefined);
    if (answer?.status === 200) return answer;
    if (answer === undefined || answer.status >= 500) return undefined;
    throw new Error(`the API refuses: ${answer.status} ${answer.body}`);
  }
  function openUpload(
    sent: SentUpload,
    { idempotencyKey, isAgain = false }: { idempotencyKey?: string | undefined; isAgain?: boolean } = {},
  ): RepeatableUpload {
    const { sitemapName, urlCount } = sent;
    const members = {
      domain: domain.hostname,
      sizeLimit: 'gsc-optimized',
      pingSearch: isAgain,
      ...(sitemapName && { sitemapName }),
    };
    const urls = Array.from({ length: urlCount }, (_, place) => ({ loc: urlOf(sent, place) }));
    if (isAgain) urls.reverse();
    const body = Buffer.from(JSON.stringify({ ...members, urls }));
    // With its length, a small body takes no slot.
    const all = {
      'Content-Length': String(body.length),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    };
    return {
      post: () => call('POST', '/api/sitemap/generate', [body], all),
      async send() {
        const answer = await acknowledgementOf(this.post());
        if (answer !== undefined) history.settle(sitemapName, sent);
        return answer;
      },
    };
  }
  const upload = async (sitemapName: string, urlCount: number) =>
    (await openUpload(history.begin(sitemapName, urlCount)).send()) !== undefined;
  const checkHostingNow = () => checkHosting(hostingUrl, domain.hostname, history);
  const jobsReach: World['jobsReach'] = async (isReached, patienceMs = 3000) => {
    const begunAt = Date.now();
    const isBroken = () => (jobs.postgres.struck ?? jobs.s3.struck) !== undefined;
    while (jobs.isAlive && Date.now() < begunAt + (isBroken() ? patienceMs : 30_000)) {
      if (await isReached()) return true;
      await delay(SOON.interval);
    }
    return false;
  };
  const comparisonsEnd = () =>
    jobsReach(async () => {
      // Without the pause between two comparisons of a sitemap.
      await database.query(
        'UPDATE sitemaps SET compare_at = now() WHERE compare_at > now() AND coalesce(comparing_until <= now(), true)',
      );
      const areLeft = await checkComparisons(database).catch((error: Error) => error);
      return areLeft === undefined;
    });
  const isNoJobLeft = () => vi.waitFor(() => checkJobs(database), SOON);

  // A transaction whose client hangs holds its locks for some seconds. The service may hold one of the rows and wait for another one. Then
  // a deadlock ends one of the two.
  const changeNow = async (sql: string): Promise<void> => {
    try {
      await database.query(slowStatement(sql, []));
    } catch (error) {
      if (!hasCode(error, DEADLOCK)) throw error;
      await changeNow(sql);
    }
  };

  // A process that starts again refuses a store without the mark.
  const keysBesideMark = async () => (await storedKeys(storage)).filter((key) => key !== MARK_KEY);
  const opened = scope.move();
  return {
    api,
    jobs,
    database,
    storage,
    get history() {
      return history;
    },
    pings: searchEngine.visits,
    bucket,
    async begin() {
      // A process that looks at a queue may hold one of the tables and wait for another. Then a deadlock ends one of the two.
      await vi.waitFor(
        () =>
          database.query(
            'TRUNCATE domains, uploads, garbage, loads, upload_sessions, upload_slots, site_changes CASCADE',
          ),
        SOON,
      );
      await database.query('DELETE FROM graphile_worker._private_jobs');
      await storage.deleteMany(await keysBesideMark());
      bucket.objects.clear();
      domain = await addVerifiedDomain(database, accountId);
      history = new History();
    },
    upload,
    async uploadTogether(uploads) {
      const sent = uploads.map(({ sitemapName, urlCount }) => history.begin(sitemapName, urlCount));
      const answers = await Promise.all(sent.map((one) => acknowledgementOf(openUpload(one).post())));
      const acknowledged = sent.filter((_, i) => answers[i] !== undefined);
      for (const { sitemapName } of acknowledged) {
        history.settleOneOf(
          sitemapName,
          sent.filter((one) => one.sitemapName === sitemapName),
        );
      }
      return acknowledged.length === sent.length;
    },
    openUpload: (sitemapName, urlCount, idempotencyKey) =>
      openUpload(history.begin(sitemapName, urlCount), { idempotencyKey }),
    resend: (sent, idempotencyKey) => openUpload(sent, { idempotencyKey, isAgain: true }),
    shrink(sitemapName) {
      const live = history.liveUpload(sitemapName);
      const sent = { ...live, urlCount: live.urlCount - 1 };
      history.mayBeLive(sent);
      return openUpload(sent).send();
    },
    async change(sitemapName) {
      const live = history.liveUpload(sitemapName);
      const sent = { ...live, urlCount: live.urlCount - 1 };
      history.mayBeLive(sent);
      const body = Buffer.from(
        JSON.stringify({
          ...{ domain: domain.hostname, ...(sitemapName && { sitemapName }) },
          upsert: [{ loc: urlOf(live, 0), priority: (live.urlCount % 10) / 10 }],
          remove: [urlOf(live, live.urlCount - 1)],
        }),
      );
      const headers = { 'Content-Length': String(body.length) };
      const answer = await acknowledgementOf(call('POST', '/api/sitemap/delta', [body], headers));
      if (answer !== undefined) history.settle(sitemapName, sent);
      return answer;
    },
    openParts(sitemapName) {
      const sent = history.begin(sitemapName, PARTED_URLS);
      const members = {
        domain: domain.hostname,
        sizeLimit: 'gsc-optimized',
        ...(sitemapName && { sitemapName }),
      };
      return openParts(callJson, members, sent, () => history.settle(sitemapName, sent));
    },
    async openLoad(sitemapName) {
      const sent = history.begin(sitemapName, LOADED_URLS);
      const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
      const connection = { kind: 's3', endpoint: bucket.endpoint, region: 'us-east-1', buckets: [BUCKET] };
      await callJson('PUT', '/api/connections/lake', { ...connection, ...keys });
      const members = {
        domain: domain.hostname,
        sizeLimit: 'gsc-optimized',
        ...(sitemapName && { sitemapName }),
      };
      return openLoad(callJson, bucket, members, sent, () => history.settle(sitemapName, sent));
    },
    async publish(sitemapName, urlCount) {
      if (!(await upload(sitemapName, urlCount)))
        throw new Error('an upload failed though nothing was broken');
    },
    async deleteSitemap(sitemapName) {
      history.beginDelete(sitemapName);
      const path = `/api/domains/${domain.id}/sitemaps/${sitemapName || 'default'}`;
      const answer = await acknowledgementOf(call('DELETE', path));
      if (answer !== undefined) history.settle(sitemapName, ABSENT);
      return answer !== undefined;
    },
    async hold(sitemapName, urlCount) {
      const sent = history.beginHeld(sitemapName, urlCount);
      const answer = await openUpload(sent)
        .post()
        .catch(() => undefined);
      if (answer === undefined || answer.status >= 500) return undefined;
      if (answer.status !== 409) throw new Error(`not held: ${answer.status} ${answer.body}`);
      return { id: JSON.parse(String(answer.body)).error.details.uploadId, sent };
    },
    async publishHeld({ id, sent }) {
      history.mayBeLive(sent);
      const body = [Buffer.from('{"force":true}')];
      const answer = await acknowledgementOf(call('POST', `/api/uploads/${id}/publish`, body));
      if (answer !== undefined) history.settle(sent.sitemapName, sent);
      return answer !== undefined;
    },
    async rollBack(sent) {
      const { sitemapName, urlCount } = sent;
      const { rows } = await database.query<{ seq: number }>(
        `SELECT max(seq) AS seq FROM uploads WHERE domain_id = $1 AND sitemap_name = $2 AND url_count = $3`,
        [domain.id, sitemapName, urlCount],
      );
      history.mayBeLive(sent);
      const path = `/api/domains/${domain.id}/sitemaps/${sitemapName || 'default'}/rollback`;
      const body = [Buffer.from(JSON.stringify({ generation: rows[0]!.seq }))];
      const answer = await acknowledgementOf(call('POST', path, body));
      if (answer !== undefined) history.settle(sitemapName, sent);
      return answer !== undefined;
    },
    async abandonUpload(files) {
      const prefix = uploadPrefix(newId('upload'));
      await addGarbage(database, [prefix], 0);
      const keys = Array.from({ length: files }, (_, at) => `${prefix}${at + 1}.xml.gz`);
      await Promise.all(keys.map((key) => storage.put(key, [Buffer.from('abandoned')])));
    },
    async storeCrawls(requests) {
      const day = new Date().toISOString().slice(0, 10);
      const common = { hostname: domain.hostname, crawler: 'Googlebot' };
      for (const times of requests) {
        const counted = {
          ...common,
          file: 'sitemap.xml',
          last: Math.floor(Date.now() / 1000),
          requests: times,
        };
        const lines = [200, 404].map((status) => ({ ...counted, status }));
        await storage.put(crawlsKey(day, randomText(22), 1), [await packCounts(lines)]);
      }
    },
    jobsReach,
    async runJob(name) {
      // The key is not the name of the job: the recurring job has that key.
      const key = `one ${name}`;
      await enqueueJob(database, name, {}, { key });
      let rows: { error: string | null }[] = [];
      const hasEnded = async () => {
        const sql = 'SELECT last_error AS error FROM graphile_worker.jobs WHERE key = $1';
        ({ rows } = await database.query<{ error: string | null }>(sql, [key]));
        return rows.every(({ error }) => error !== null);
      };
      // A job that has succeeded leaves no row.
      return (await jobsReach(hasEnded)) && rows.length === 0;
    },
    async sitesAreWritten() {
      await database.query('UPDATE site_changes SET due_at = now()');
      return jobsReach(async () => (await database.query('SELECT FROM site_changes')).rowCount === 0);
    },
    comparisonsEnd,
    async compareAll() {
      if (!(await comparisonsEnd())) throw new Error('a comparison failed though nothing was broken');
    },
    async endLeases() {
      await changeNow(
        `UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '1 minute';
         UPDATE sitemaps SET comparing_until = now(), compare_at = now() WHERE comparing_until IS NOT NULL;
         UPDATE loads SET lease_until = now() WHERE ended_at IS NULL;
         UPDATE upload_sessions SET committing_until = now() WHERE committing_until IS NOT NULL;
         UPDATE idempotency_claims SET expires_at = now() WHERE status IS NULL`,
      );
    },
    async passTime() {
      const giveUpAt = Date.now() + SOON.timeout;
      for (;;) {
        await changeNow(
          `UPDATE graphile_worker._private_jobs SET run_at = now()
            WHERE locked_at IS NULL AND key IS DISTINCT FROM (SELECT identifier FROM graphile_worker._private_tasks t WHERE t.id = task_id);
           UPDATE site_changes SET due_at = now();
           UPDATE garbage SET collect_after = now();
           UPDATE upload_slots SET expires_at = now();
           UPDATE sitemaps SET compare_at = now() WHERE compare_at > now() AND coalesce(comparing_until <= now(), true);
           SELECT graphile_worker.add_job('garbage.collect', job_key => 'faults')`,
        );
        await isNoJobLeft();
        await vi.waitFor(() => checkComparisons(database), SOON);
        if (await isAllCollected(database)) return;
        if (Date.now() > giveUpAt) throw new Error('garbage is never collected');
      }
    },
    fetch: (path) => send(hostingUrl + path, { headers: { Host: domain.hostname } }),
    checkHosting: async () => void (await checkHostingNow()),
    async checkAll() {
      const served = await checkHostingNow();
      await checkApi({ apiUrl, key, domainId: domain.id }, served);
      await isNoJobLeft();
      await checkRows(database);
      await vi.waitFor(async () => {
        const stored = await withoutOldChanges(database, await keysBesideMark());
        compareKeys(await referencedKeys(database), stored);
      }, LATE_PUTS);
      for (const [name, { state }] of served) history.settle(name, state);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
