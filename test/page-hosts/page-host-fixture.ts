/** Page hosts over a real database and real hosts on loopback. Time passes in the database and in `clock`. */
import type { Domain } from '../../src/features/domains/domain.ts';
import { checkPageHost } from '../../src/features/page-hosts/check-page-host.ts';
import { listPageHosts, takeDuePageHosts } from '../../src/features/page-hosts/page-host-store.ts';
import { readRobots } from '../../src/features/page-hosts/read-robots.ts';
import { createReadRecent } from '../../src/features/page-hosts/recent-readings.ts';
import { recordPageHosts } from '../../src/features/page-hosts/record-page-hosts.ts';
import { createAskOutside } from '../../src/platform/http/outbound.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addVerifiedDomain } from '../support/accounts.ts';
import { startRobots } from '../support/start-robots.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

export async function createPageHostFixture() {
  const fixture = await createUploadFixture();
  const hosts = await startRobots();
  const { database, upload } = fixture;
  const clock = { ms: 1 };
  const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
  /** As a process of its own has them. */
  const process = () => ({
    database,
    publicOrigin: 'https://{hostname}',
    readRecent: createReadRecent(
      (origin, signal) => readRobots(ask, origin, signal),
      () => clock.ms,
    ),
    random: () => 0.5,
  });
  const options = process();
  const count = ({ id, accountId }: Domain, counts: Record<string, number>, sitemapName = '') =>
    inTransaction(database, (transaction) =>
      recordPageHosts(transaction, {
        accountId,
        domainId: id,
        sitemapName,
        origins: Object.entries(counts).map(([origin, urlCount]) => ({ origin, urlCount })),
      }),
    );
  return {
    database,
    upload,
    openChange: fixture.options.openChange,
    hosts,
    clock,
    process,
    count,
    /** Adds a domain with these sitemaps. Their pages are on these hosts. */
    async domainWith(accountId: string, counts: Record<string, number>, ...names: string[]) {
      const domain = await addVerifiedDomain(database, accountId);
      for (const name of names.length === 0 ? [''] : names) {
        const named = name === '' ? {} : { sitemapName: name };
        await upload(accountId, { domain: domain.hostname, ...named, urls: plainEntries(1) });
        await count(domain, counts, name);
      }
      return domain;
    },
    /** Checks all that are due. Returns how many were. */
    async checkDue(limit = 1000): Promise<number> {
      const due = await takeDuePageHosts(database, { limit, perAccount: 1000, busyAccounts: [] });
      const { signal } = new AbortController();
      await Promise.all(due.map((one) => checkPageHost(options, one, signal)));
      return due.length;
    },
    list: ({ id }: Pick<Domain, 'id'>) => listPageHosts(database, id),
    /** Lets time pass for the page hosts of a domain. */
    async pass({ id }: Pick<Domain, 'id'>, minutes: number): Promise<void> {
      clock.ms += minutes * 60_000;
      await database.query(
        `UPDATE page_hosts SET due_at = due_at - $2 * interval '1 minute', checked_at = checked_at - $2 * interval '1 minute',
                state_since = state_since - $2 * interval '1 minute' WHERE domain_id = $1`,
        [id, minutes],
      );
      await database.query(
        `UPDATE domains SET page_hosts_asked_at = page_hosts_asked_at - $2 * interval '1 minute' WHERE id = $1`,
        [id, minutes],
      );
    },
  };
}

export function indexLine({ hostname }: Pick<Domain, 'hostname'>): string {
  return `Sitemap: https://${hostname}/sitemap-index.xml\n`;
}
