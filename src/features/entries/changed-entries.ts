/**
 * Keeps the changes of a generation until they are in the sitemap of recent changes (docs/decisions/0057):
 *
 *   pack → its object, if it is large, listed as garbage first → a row, in the transaction that publishes or compares
 */
import { randomText } from '../../platform/ids.ts';
import type { Database, Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { addGarbage, rescueFromGarbage } from '../sites/garbage-store.ts';
import { requestRecent } from '../sites/recent-sitemap.ts';
import { packKey } from '../sites/site.ts';
import { SMALL_FILE_BYTES } from '../sites/small-files.ts';

/**
 * Why changes are missing in the sitemap of recent changes:
 *
 * | reason | means |
 * |---|---|
 * | first | the sitemap is new, so all its URLs are new |
 * | unknown | it is not known what changed: files or packs are gone or damaged |
 * | xml-version | the former upload, a pack or the recent files have XML of another version |
 * | many-changes | so many URLs changed that the sitemap itself tells as much (`areMany`) |
 * | limit | the changes did not fit into a pack, or into the files of recent changes |
 */
export const LEFT_OUT_REASONS = ['first', 'unknown', 'xml-version', 'many-changes', 'limit'] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** This number of changes is never too many, however short the sitemap is. */
const FEW_CHANGES = 1000;

/** Whether so many of the URLs of a sitemap changed that the list of them is of no use. */
export const areMany = (changed: number, urlCount: number) =>
  changed > FEW_CHANGES && changed > 0.2 * urlCount;

/** A pack of changed entries: in memory, or as an object that no row names yet. If there is no pack, `leftOut` is the reason. */
export type ChangedEntries =
  | { readonly content: Buffer; readonly name: null; readonly bytes: number }
  | { readonly content: null; readonly name: string; readonly bytes: number }
  | { readonly leftOut: LeftOutReason };

/** The time in which an object of a pack may lack its row. It is longer than any transaction. */
const UNFINISHED_MS = 3_600_000;

/** Whether the domain has a sitemap of recent changes. Only such a sitemap needs packs. */
export async function hasRecentSitemap(queryable: Queryable, domainId: string): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'has-recent-sitemap',
    text: 'SELECT FROM domains WHERE id = $1 AND recent_enabled',
    values: [domainId],
  });
  return rowCount === 1;
}

/** Stores a pack, if it is large. If its row never comes, the object is collected. */
export async function storePack(
  { database, storage }: { readonly database: Database; readonly storage: Pick<ObjectStorage, 'put'> },
  domainId: string,
  pack: Buffer,
): Promise<ChangedEntries> {
  const bytes = pack.length;
  if (bytes <= SMALL_FILE_BYTES) return { content: pack, name: null, bytes };
  const name = randomText(22);
  await addGarbage(database, [packKey(domainId, name)], UNFINISHED_MS);
  await storage.put(packKey(domainId, name), [pack]);
  return { content: null, name, bytes };
}

/** Records the changes of a generation, and requests the sitemap of recent changes. The caller must have locked the domain. */
export async function recordChangedEntries(
  transaction: Transaction,
  {
    domainId,
    sitemapName,
    uploadId,
  }: { readonly domainId: string; readonly sitemapName: string; readonly uploadId: string },
  changed: ChangedEntries,
): Promise<void> {
  const place = 'leftOut' in changed ? { content: null, name: null, bytes: 0 } : changed;
  const { rowCount } = await transaction.query(
    `INSERT INTO changed_entries (domain_id, sitemap_name, seq, left_out, content, name, bytes)
     SELECT d.id, $2, u.seq, $4, $5, $6, $7
       FROM domains d JOIN uploads u ON u.id = $3 AND u.domain_id = d.id WHERE d.id = $1 AND d.recent_enabled`,
    [
      ...[domainId, sitemapName, uploadId, 'leftOut' in changed ? changed.leftOut : null],
      ...[place.content, place.name, place.bytes],
    ],
  );
  // The sitemap of recent changes was switched off meanwhile. The object stays garbage.
  if (rowCount === 0) return;
  await requestRecent(transaction, domainId);
  if (place.name !== null && !(await rescueFromGarbage(transaction, packKey(domainId, place.name)))) {
    throw new Error('a pack of changed entries was collected before its row was there');
  }
}

/**
 * Records that the changes of sitemaps are unknown up to their live generations, if these are deltas on an upload that was not compared.
 * Call this before an upload replaces such a delta: the comparison of the new upload begins before the deltas, so it does not show what
 * became of their changes. The caller must have locked the domains.
 */
export async function cutUncomparedDeltas(
  transaction: Transaction,
  sitemaps: readonly { readonly domainId: string; readonly sitemapName: string }[],
): Promise<void> {
  if (sitemaps.length === 0) return;
  const { rows } = await transaction.query<{ domainId: string }>({
    name: 'cut-uncompared-deltas',
    text: `INSERT INTO changed_entries (domain_id, sitemap_name, seq, left_out)
           SELECT s.domain_id, s.name, s.last_delta_seq, 'unknown'
             FROM unnest($1::text[], $2::text[]) AS wanted (domain_id, name)
                  JOIN sitemaps s ON s.domain_id = wanted.domain_id AND s.name = wanted.name
                  JOIN uploads u ON u.id = s.upload_id AND u.seq = s.last_delta_seq
            WHERE s.compared_upload_id IS DISTINCT FROM s.upload_id
           RETURNING domain_id AS "domainId"`,
    values: [sitemaps.map(({ domainId }) => domainId), sitemaps.map(({ sitemapName }) => sitemapName)],
  });
  for (const { domainId } of rows) await requestRecent(transaction, domainId);
}

/**
 * Leaves the changes of a deleted sitemap out of the recent files, up to its last generation `seq`. A new sitemap may get the same name,
 * and its first comparison knows nothing of these changes. The caller must have locked the domain.
 */
export async function cutDeletedSitemap(
  transaction: Transaction,
  {
    domainId,
    sitemapName,
    seq,
  }: { readonly domainId: string; readonly sitemapName: string; readonly seq: number },
): Promise<void> {
  const { rowCount } = await transaction.query(
    `INSERT INTO changed_entries (domain_id, sitemap_name, seq, left_out)
     SELECT id, $2, $3, 'first' FROM domains WHERE id = $1 AND recent_enabled`,
    [domainId, sitemapName, seq],
  );
  if (rowCount === 1) await requestRecent(transaction, domainId);
}
