/** Decides which uploads get an index of their URLs (docs/decisions/0056), and when the index is due. `features/find/` makes the index. */
import type { Transaction } from '../../platform/postgres/database.ts';

/** An upload with fewer entries has no index, because to store another object costs more than to read its files. */
export const MIN_INDEXED_ENTRIES = 10_000;

/** Returns SQL that makes the index of an upload due, if the upload is large enough. `id`: the SQL of its id. */
export const indexNext = (id: string) => `
  INSERT INTO due_url_indexes (upload_id)
  SELECT u.id FROM uploads u WHERE u.id = ${id} AND u.url_count >= ${MIN_INDEXED_ENTRIES}
  ON CONFLICT (upload_id) DO UPDATE SET due_at = now()`;

/** The time from a delta to its index. Until the index exists, look-ups read the files of the delta. These files are few. */
const AFTER_DELTA = "interval '5 minutes'";

/**
 * Makes the index of a delta due after AFTER_DELTA. If the index of the former generation is still due, takes over its time. Small
 * generations get no index.
 */
export async function indexAfterDelta(
  transaction: Transaction,
  { uploadId, formerUploadId }: { readonly uploadId: string; readonly formerUploadId: string },
): Promise<void> {
  await transaction.query({
    name: 'index-after-delta',
    text: `WITH former AS (DELETE FROM due_url_indexes WHERE upload_id = $2 RETURNING due_at)
           INSERT INTO due_url_indexes (upload_id, due_at)
           SELECT u.id, coalesce((SELECT due_at FROM former), now() + ${AFTER_DELTA})
             FROM uploads u WHERE u.id = $1 AND u.url_count >= ${MIN_INDEXED_ENTRIES}`,
    values: [uploadId, formerUploadId],
  });
}
