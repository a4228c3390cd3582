/**
 * The sitemap of recent changes of a domain, as a site shows it (docs/decisions/0057). `features/recent/` writes its files below the prefix
 * of an upload id that has no row in `uploads`. So hosting serves the sitemap of recent changes as any other sitemap.
 */
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { RecentObjects } from '../domains/recent-objects.ts';
import { addGarbage, EVICT_AFTER_MS } from './garbage-store.ts';
import { packKey, uploadPrefix, type WrittenSite } from './site.ts';
import type { LiveSitemap } from './site-store.ts';

/** The most files of the sitemap of recent changes. */
export const MAX_RECENT_FILES = 10;

/** No sitemap of a customer may have this name while the domain has a sitemap of recent changes. */
export const RECENT_SITEMAP = 'recent';

/** The least time between two versions of the files of a domain. */
export const RECENT_EVERY_MS = 60_000;

/** Returns the sitemap of recent changes. Returns no sitemap if it has no files. */
export function liveRecent(recent: RecentObjects | null): LiveSitemap[] {
  if (recent === null || recent.files.length === 0) return [];
  const { uploadId, writtenAt } = recent;
  const files = recent.files.map((file, i) => {
    const lastModified = new Date(file.lastModified);
    return { ...file, fileUploadId: uploadId, uploadN: i + 1, lastModified, isSmall: false };
  });
  return [{ name: RECENT_SITEMAP, uploadId, publishedAt: new Date(writtenAt), files }];
}

/** Returns when the domain's index last got or lost files of recent changes. */
export const recentWrittenAt = (recent: RecentObjects | null): Date | null =>
  recent && new Date(recent.writtenAt);

/** Returns the member `feed` of `site.json`. */
export function feedOf(recent: RecentObjects | null): Pick<WrittenSite, 'feed'> {
  return recent?.feed ? { feed: { ...recent.feed, uploadId: recent.uploadId } } : {};
}

/**
 * Makes the sitemap of recent changes due, if the domain has one. It is due within RECENT_EVERY_MS, even if the clock was ahead at the last
 * version.
 */
export async function requestRecent(queryable: Queryable, domainId: string): Promise<void> {
  await queryable.query(
    `UPDATE recent_sitemaps
        SET due_at = least(due_at, greatest(now(), updated_at + $2 * interval '1 millisecond'),
                           now() + $2 * interval '1 millisecond')
      WHERE domain_id = $1`,
    [domainId, RECENT_EVERY_MS],
  );
}

/** Ends the sitemap of recent changes, if the domain has one. Lists its objects for collection. */
export async function endRecent(transaction: Transaction, domainId: string): Promise<void> {
  const { rows } = await transaction.query<{ uploadId: string | null }>(
    'DELETE FROM recent_sitemaps WHERE domain_id = $1 RETURNING upload_id AS "uploadId"',
    [domainId],
  );
  if (rows[0] === undefined) return;
  await transaction.query('UPDATE domains SET shrunk_at = now() WHERE id = $1', [domainId]);
  const { rows: packs } = await transaction.query<{ name: string | null }>(
    'DELETE FROM changed_entries WHERE domain_id = $1 RETURNING name',
    [domainId],
  );
  const { uploadId } = rows[0];
  const prefixes = [
    ...(uploadId === null ? [] : [uploadPrefix(uploadId)]),
    ...packs.flatMap(({ name }) => (name === null ? [] : [packKey(domainId, name)])),
  ];
  await addGarbage(transaction, prefixes, EVICT_AFTER_MS);
}
