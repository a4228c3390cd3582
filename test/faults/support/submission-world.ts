/**
 * Postgres and S3 behind proxies that break calls, for a process that compares and submits: the victim. The survivor, which
 * goes on, reaches them directly. The page hosts have whatever key file is asked for, and the search engine records.
 */
import { createAccount } from '../../../src/features/accounts/create-account.ts';
import { switchSubmission } from '../../../src/features/submission/switch-submission.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { addVerifiedDomain } from '../../support/accounts.ts';
import type { FaultProxy } from '../../support/fault-proxy.ts';
import { type IndexNowEndpoint, startIndexNowEndpoint } from '../../support/indexnow-endpoint.ts';
import { startPageHost } from '../../support/page-host.ts';
import { storedKeys } from './own-stores.ts';
import { openProxiedStores } from './proxied-stores.ts';
import {
  type ComparedUpload,
  openSubmitting,
  type SubmissionTask,
  type Submitting,
  type SubmittingSettings,
} from './submitting.ts';
import { startWarmProcesses, type WarmProcess } from './warm-processes.ts';

export interface SubmissionWorld extends AsyncDisposable {
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  readonly endpoint: IndexNowEndpoint;
  /** Uploads to a domain of its own, with changed URLs on two hosts. Search engines take one of these hosts. */
  addUpload(): Promise<ComparedUpload>;
  /** Returns a victim in a process of its own. The process was started before. */
  nextVictim(): Promise<WarmProcess<SubmissionTask>>;
  /** The victim's work on an upload. */
  taskOf(upload: ComparedUpload): SubmissionTask;
  /** Opens a victim in this process, with connections of its own. */
  openVictim(): Submitting;
  /** Leases and pauses end, and the survivor works until nothing waits. */
  goOn(upload: ComparedUpload): Promise<void>;
  /** Throws unless every changed URL was submitted once or twice, no other one, and nothing is left. */
  check(upload: ComparedUpload): Promise<void>;
}

const MAX_ROUNDS = 6;
const BAD = '/bad';

export async function startSubmissionWorld(): Promise<SubmissionWorld> {
  await using scope = new AsyncDisposableStack();
  const stores = await openProxiedStores(scope);
  const { database, storage, postgres, s3 } = stores;
  await database.query('CREATE TABLE compared_uploads (id text PRIMARY KEY)');
  const endpoint = scope.use(await startIndexNowEndpoint());
  const pages = [scope.use(await startPageHost('127.0.0.2')), scope.use(await startPageHost('127.0.0.3'))];
  for (const host of pages) {
    host.behaviour = ({ url }, response) => void response.end(url!.slice(1, -'.txt'.length));
  }
  const throughProxies: SubmittingSettings = { ...stores.throughProxies, endpoint: endpoint.url };
  const survivor = scope.use(openSubmitting({ ...stores.direct, endpoint: endpoint.url }));
  const accountId = await createAccount(database, newId, 'faults', 'enterprise');

  const nextVictim = startWarmProcesses<SubmissionTask>('submit-once.ts', scope);
  const opened = scope.move();

  return {
    ...{ postgres, s3, endpoint },
    async addUpload() {
      const { id: domainId, hostname } = await addVerifiedDomain(database, accountId);
      await switchSubmission({ database, isConfigured: true }, { id: domainId, hostname }, true);
      // A sweep has more refused requests than an account may have on a day.
      await database.query('DELETE FROM indexnow_refusals');
      const uploadId = newId('upload');
      const changedUrls = pages.flatMap(({ origin }, host) =>
        [`/1`, host === 0 ? BAD : '/2', '/3'].map((path) => `${origin}/${uploadId}${path}`),
      );
      endpoint.reset();
      for (const url of changedUrls) if (url.endsWith(BAD)) endpoint.badUrls.add(url);
      return { comparison: { accountId, domainId, hostname, sitemapName: '', uploadId }, changedUrls };
    },
    nextVictim,
    taskOf: (upload) => ({ ...throughProxies, upload }),
    openVictim: () => openSubmitting(throughProxies),
    async goOn(upload) {
      const { domainId } = upload.comparison;
      await survivor.compare(upload);
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        await database.query(
          'UPDATE indexnow_hosts SET leased_until = NULL, paused_until = NULL, due_at = now() WHERE domain_id = $1',
          [domainId],
        );
        await survivor.workOff();
        const { rowCount } = await database.query('SELECT FROM indexnow_batches WHERE domain_id = $1', [
          domainId,
        ]);
        if (rowCount === 0) return;
      }
    },
    check: (upload) => check(database, endpoint, upload, (prefix) => storedKeys(storage, prefix)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function check(
  database: Database,
  endpoint: IndexNowEndpoint,
  { comparison, changedUrls }: ComparedUpload,
  keys: (prefix: string) => Promise<string[]>,
): Promise<void> {
  const { domainId } = comparison;
  if (endpoint.faults.length > 0)
    throw new Error(`requests break the protocol: ${endpoint.faults.join('; ')}`);
  const times = Map.groupBy(endpoint.accepted(), (url) => url);
  for (const [url, all] of times) {
    if (!changedUrls.includes(url)) throw new Error(`${url} has not changed`);
    if (all.length > 2) throw new Error(`${url} was submitted ${all.length} times`);
  }
  const missing = changedUrls.filter((url) => !url.endsWith(BAD) && !times.has(url));
  if (missing.length > 0) throw new Error(`not submitted: ${missing.join(' ')}`);
  const { rows } = await database.query(
    `SELECT (SELECT count(*) FROM indexnow_batches WHERE domain_id = $1) AS batches,
            (SELECT count(*) FROM indexnow_submissions WHERE domain_id = $1) AS submissions,
            (SELECT count(*) FROM indexnow_hosts WHERE domain_id = $1 AND verified_at IS NOT NULL AND is_in_site) AS hosts`,
    [domainId],
  );
  const found = JSON.stringify(rows[0]);
  if (found !== JSON.stringify({ batches: 0, submissions: 0, hosts: 2 })) throw new Error(`left: ${found}`);
  const { rows: garbage } = await database.query<{ prefix: string }>('SELECT prefix FROM garbage');
  const orphans = (await keys(`indexnow/${domainId}/`)).filter(
    (key) => !garbage.some(({ prefix }) => key.startsWith(prefix)),
  );
  if (orphans.length > 0) throw new Error(`no garbage, and nobody needs them: ${orphans.join(' ')}`);
}
