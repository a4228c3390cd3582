/** Submissions over a real database, a folder storage, page hosts on loopback and a search engine. */
import { afterAll, beforeEach } from 'vitest';
import { openSites } from '../../src/features/sites/open-sites.ts';
import { type HostWork, listHosts, takeHosts } from '../../src/features/submission/host-store.ts';
import { createOpenOutbox } from '../../src/features/submission/open-outbox.ts';
import type { SubmissionOutcome } from '../../src/features/submission/record-answer.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { type HostOptions, workOnHost } from '../../src/features/submission/work-on-host.ts';
import { createAskOutside } from '../../src/platform/http/outbound.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { startIndexNowEndpoint } from '../support/indexnow-endpoint.ts';
import { startPageHost } from '../support/page-host.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

type Domain = Awaited<ReturnType<typeof addVerifiedDomain>>;

export async function createSubmissionFixture() {
  const { database, url } = await createTestDatabase();
  const storage = await openFolderStorage(await createTemporaryFolder());
  const endpoint = await startIndexNowEndpoint();
  const pages = await startPageHost('127.0.0.2');
  const otherPages = await startPageHost('127.0.0.3');
  afterAll(async () => {
    for (const server of [endpoint, pages, otherPages]) await server[Symbol.asyncDispose]();
  });
  const outcomes: [SubmissionOutcome, number][] = [];
  beforeEach(async () => {
    // No host of an earlier test is due.
    await database.query('DELETE FROM accounts');
    endpoint.reset();
    outcomes.length = 0;
    for (const host of [pages, otherPages]) {
      host.behaviour = undefined;
      host.files.clear();
      host.visits.length = 0;
    }
  });
  const publicOrigin = 'https://{hostname}';
  const sites = openSites({
    database,
    storage,
    log: collectLog(),
    publicOrigin,
    keepReplacedMs: 0,
    places: 2,
  });
  const options: HostOptions = {
    ...{ database, storage, openChange: sites.openChange },
    ask: createAskOutside({ allowedRanges: ['127.0.0.0/8'] }),
    log: collectLog(),
    endpoint: endpoint.url,
    urlsPerDay: 1_000_000,
    pauseMs: 0,
    random: () => 0.5,
    report: (outcome, urlCount) => void outcomes.push([outcome, urlCount]),
  };
  const openOutbox = createOpenOutbox({ database, storage });
  const comparisonOf = ({ id: domainId, accountId, hostname }: Domain, sitemapName = '') => ({
    ...{ accountId, domainId, hostname, sitemapName },
    uploadId: newId('upload'),
  });
  const take = () => takeHosts(database, 100);
  const never = new AbortController().signal;
  const work = (host: HostWork, changed: Partial<HostOptions> = {}) =>
    workOnHost({ ...options, ...changed }, host, never);

  return {
    ...{ database, url, storage, endpoint, pages, otherPages, outcomes, options, openOutbox, sites },
    ...{ comparisonOf, take, work },
    async addDomain(accountId?: string): Promise<Domain> {
      const domain = await addVerifiedDomain(database, accountId ?? (await addAccount(database)));
      await switchSubmission({ database, isConfigured: true }, domain, true);
      return domain;
    },
    /** Records changes like a comparison of an upload. Returns the id of the upload. */
    async change(domain: Domain, ...urls: readonly string[]): Promise<string> {
      const comparison = comparisonOf(domain);
      const outbox = (await openOutbox(comparison))!;
      await outbox.add('changed', urls);
      await outbox.settle();
      await inTransaction(database, (transaction) => outbox.commit(transaction));
      return comparison.uploadId;
    },
    /** The owner of the page host puts the key file there. */
    async putKey({ id }: Domain, host: typeof pages): Promise<void> {
      const found = (await listHosts(database, id)).find((one) => one.host === host.host)!;
      host.files.set(`/${found.key}.txt`, `${found.key}\n`);
    },
    /** Works until nothing is due, as a jobs process does. */
    async workOff(changed: Partial<HostOptions> = {}): Promise<void> {
      for (let hosts = await take(); hosts.length > 0; hosts = await take()) {
        for (const host of hosts) await work(host, changed);
      }
    },
    /** Lets time pass for the hosts of a domain, and for its waiting batches. */
    async pass({ id }: Domain, hours: number): Promise<void> {
      for (const [table, columns] of [
        ['indexnow_hosts', ['due_at', 'paused_until', 'leased_until']],
        ['indexnow_batches', ['created_at']],
      ] as const) {
        const set = columns.map((column) => `${column} = ${column} - $2 * interval '1 hour'`).join(', ');
        await database.query(`UPDATE ${table} SET ${set} WHERE domain_id = $1`, [id, hours]);
      }
    },
    hosts: ({ id }: Domain) => listHosts(database, id),
    async batches({
      id,
    }: Domain): Promise<{ host: string; first: number; urlCount: number; object: string }[]> {
      const { rows } = await database.query(
        `SELECT host, first, url_count AS "urlCount", object FROM indexnow_batches WHERE domain_id = $1 ORDER BY id`,
        [id],
      );
      return rows;
    },
    /** An endpoint of the account that takes all events of submissions. */
    async listen({ accountId }: Domain): Promise<void> {
      await database.query(
        `INSERT INTO webhook_endpoints (id, account_id, url, description, event_types)
         VALUES ($1, $2, 'https://hooks.example.com/', '', '{indexnow.completed,indexnow.failed}')`,
        [newId('webhook'), accountId],
      );
    },
    async events({ accountId }: Domain): Promise<{ type: string; data: object }[]> {
      const { rows } = await database.query(
        'SELECT type, data FROM webhook_events WHERE account_id = $1 ORDER BY created_at',
        [accountId],
      );
      return rows;
    },
    async garbage(): Promise<string[]> {
      const { rows } = await database.query("SELECT prefix FROM garbage WHERE prefix LIKE 'indexnow/%'");
      return rows.map(({ prefix }) => prefix);
    },
  };
}
