/**
 * The sitemap of recent changes of a domain, as a site shows it (docs/decisions/0057). `features/recent/` writes its files. They are files
 * of an upload that no row of `uploads` has, so for hosting the sitemap of recent changes is a sitemap like any other.
 */
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { RecentObjects } from '../domains/recent-objects.ts';
import { addGarbage, EVICT_AFTER_MS } from './garbage-store.ts';
import { packKey, uploadPrefix, type WrittenSite } from './site.ts';
import type { LiveSitemap } from './site-store.ts';

/** No sitemap of a customer may have this name while the domain has a sitemap of recent changes. */
export const RECENT_SITEMAP = 'recent';

/** The least time between two versions of the files of a domain. */
export const RECENT_EVERY_MS = 60_000;

/** Returns the sitemap of recent changes; undefined if there is nothing in it. */
export function liveRecent(recent: RecentObjects | null): LiveSitemap | undefined {
  if (recent === null || recent.files.length === 0) return undefined;
  const { uploadId, files } = recent;
  return {
    name: RECENT_SITEMAP,
    uploadId,
    files: files.map((file, i) => ({
      ...file,
      ...{
        fileUploadId: uploadId,
        uploadN: i + 1,
        lastModified: new Date(file.lastModified),
        isSmall: false,
      },
    })),
  };
}

/** Returns the member `feed` of `site.json`. */
export function feedOf(recent: RecentObjects | null): Pick<WrittenSite, 'feed'> {
  return recent?.feed ? { feed: { ...recent.feed, uploadId: recent.uploadId } } : {};
}

/** Makes the sitemap of recent changes due, if the domain has one. */
export async function requestRecent(queryable: Queryable, domainId: string): Promise<void> {
  await queryable.query(
    `UPDATE recent_sitemaps
        SET due_at = least(due_at, greatest(now(), updated_at + $2 * interval '1 millisecond'))
      WHERE domain_id = $1`,
    [domainId, RECENT_EVERY_MS],
  );
}

/** Ends the sitemap of recent changes of a domain, if it has one. Its objects are listed for collection. */
export async function endRecent(transaction: Transaction, domainId: string): Promise<void> {
  const { rows } = await transaction.query<{ uploadId: string | null }>(
    'DELETE FROM recent_sitemaps WHERE domain_id = $1 RETURNING upload_id AS "uploadId"',
    [domainId],
  );
  if (rows[0] === undefined) return;
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
