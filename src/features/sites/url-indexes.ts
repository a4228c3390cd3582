/** Says which uploads get an index of their URLs (docs/decisions/0056), and since when it is due. `features/find/` makes it. */

/** Files with fewer entries in all have no index: another object costs more than reading them. */
export const MIN_INDEXED_ENTRIES = 10_000;

/** SQL: makes the index of the upload $`id` due, if it is large enough. */
export const indexNext = (id: string) => `
  INSERT INTO due_url_indexes (upload_id)
  SELECT u.id FROM uploads u WHERE u.id = ${id} AND u.url_count >= ${MIN_INDEXED_ENTRIES}
  ON CONFLICT (upload_id) DO UPDATE SET due_at = now()`;
