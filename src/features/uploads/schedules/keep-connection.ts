/** Keeps a connection from being deleted while schedules read by it, because their runs fail without the connection. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { listScheduledBy } from './schedule-store.ts';

/** The most sitemaps that the refusal names. */
const MOST = 20;

/** The caller has locked the account, so no schedule is set meanwhile. Throws Refusal CONFLICT, with the sitemaps of the schedules. */
export async function keepScheduledConnection(
  transaction: Transaction,
  accountId: string,
  connection: string,
): Promise<void> {
  const found = await listScheduledBy(transaction, accountId, connection, MOST + 1);
  if (found.length === 0) return;
  const schedules = found
    .slice(0, MOST)
    .map(({ hostname, sitemapName }) => ({ domain: hostname, sitemapName: shownSitemapName(sitemapName) }));
  const names = schedules.map(({ domain, sitemapName }) => `${sitemapName} of ${domain}`);
  if (found.length > MOST) names.push('others');
  const message = `Schedules read by this connection: ${names.join(', ')}. Delete them first, or let them load from elsewhere.`;
  throw new Refusal('CONFLICT', message, { details: { schedules } });
}
