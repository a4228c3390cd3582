/**
 * The backfills: changes of rows that migrations leave to a job, because other transactions write these rows too. Each backfill is one
 * statement for a portion of rows, in the order of a key. The statement may run twice for the same rows. It never waits for a locked row:
 * the next pass finds that row.
 */

export interface Backfill {
  readonly name: string;
  /**
   * $1 is the key after which the portion begins, and $2 its number of rows. The statement returns one row: `after` is the last
   * key, or null if there are no more rows; `rows` is the number of keys; `missed` is how many wanted rows were locked.
   */
  readonly statement: string;
}

/** Builds a statement that changes the wanted rows of a table, except locked ones. */
function changing({
  table,
  wanted,
  change,
}: {
  readonly table: string;
  /** A SELECT of `id`, and of the columns that `change` uses, from `portion`. */
  readonly wanted: string;
  /** An UPDATE of the rows whose ids are in `free`. */
  readonly change: string;
}): string {
  return `
    WITH portion AS MATERIALIZED (
      SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT $2
    ), wanted AS MATERIALIZED (
      ${wanted}
    ), free AS MATERIALIZED (
      SELECT id FROM ${table} WHERE id IN (SELECT id FROM wanted) FOR NO KEY UPDATE SKIP LOCKED
    ), changed AS (
      ${change}
    )
    SELECT max(id) AS after, count(*) AS rows,
           (SELECT count(*) FROM wanted) - (SELECT count(*) FROM free) AS missed FROM portion`;
}

export const BACKFILLS: readonly Backfill[] = [
  {
    name: 'certificates.missing',
    statement: `
      WITH portion AS MATERIALIZED (
        SELECT id, account_id, hostname, status FROM domains WHERE id > $1 ORDER BY id LIMIT $2
      ), inserted AS (
        INSERT INTO certificates AS c (account_id, hostname, domain_id, due_at)
        SELECT account_id, hostname, id, now() FROM portion p
         WHERE status IN ('verified', 'active') AND NOT EXISTS (SELECT FROM certificates o WHERE o.domain_id = p.id)
            ON CONFLICT (account_id, hostname) DO UPDATE SET domain_id = excluded.domain_id, due_at = excluded.due_at
      )
      SELECT max(id) AS after, count(*) AS rows, 0 AS missed FROM portion`,
  },
  {
    name: 'domains.pending_checks',
    statement: changing({
      table: 'domains',
      wanted: `
        SELECT d.id FROM portion JOIN domains d USING (id)
         WHERE d.status = 'pending_verification' AND d.check_at IS NULL
           AND d.hostname <> 'localhost' AND d.hostname NOT LIKE '%.localhost'`,
      change: `
        UPDATE domains SET check_at = now() + random() * interval '15 minutes' WHERE id IN (SELECT id FROM free)`,
    }),
  },
  {
    name: 'keys.creators',
    statement: changing({
      table: 'api_keys',
      wanted: `
        SELECT k.id, e.user_id, e.actor_name
          FROM portion JOIN api_keys k USING (id)
               CROSS JOIN LATERAL (SELECT user_id, actor_name FROM audit_events
                                    WHERE account_id = k.account_id AND action = 'key.created' AND user_id IS NOT NULL
                                      AND details ->> 'keyId' = k.id LIMIT 1) e
         WHERE k.creator_id IS NULL`,
      change: `
        UPDATE api_keys k SET creator_id = w.user_id, creator_name = w.actor_name
          FROM free JOIN wanted w USING (id) WHERE k.id = free.id`,
    }),
  },
  {
    // The whole table is one portion: one snapshot gives the difference between the bytes in `garbage` and the counted bytes. The
    // last line uses both parameters, because Postgres must infer their types.
    name: 'garbage.kept_bytes',
    statement: `
      WITH there AS (
        SELECT account_id, sum(bytes) AS bytes FROM garbage WHERE account_id IS NOT NULL GROUP BY 1
      ), counted AS (
        SELECT account_id, sum(bytes) AS bytes
          FROM (SELECT * FROM kept_bytes UNION ALL SELECT * FROM kept_bytes_changes) AS both_tables GROUP BY 1
      ), added AS (
        INSERT INTO kept_bytes_changes
        SELECT account_id, coalesce(there.bytes, 0) - coalesce(counted.bytes, 0)
          FROM there FULL JOIN counted USING (account_id)
         WHERE coalesce(there.bytes, 0) <> coalesce(counted.bytes, 0)
      )
      SELECT NULL AS after, 0 AS rows, 0 AS missed WHERE $1 = $1 AND $2::integer > 0`,
  },
  {
    // A time that changes meanwhile is listed twice, which does no harm (docs/decisions/0105).
    name: 'garbage.due',
    statement: `
      WITH portion AS MATERIALIZED (
        SELECT prefix, collect_after FROM garbage WHERE prefix > $1 ORDER BY prefix LIMIT $2
      ), listed AS (
        INSERT INTO due_garbage (collect_after, prefix)
        SELECT collect_after, prefix FROM portion p
         WHERE collect_after < 'infinity'
           AND NOT EXISTS (SELECT FROM due_garbage d WHERE d.collect_after = p.collect_after AND d.prefix = p.prefix)
      )
      SELECT max(prefix) AS after, count(*) AS rows, 0 AS missed FROM portion`,
  },
  {
    name: 'domains.counts',
    statement: changing({
      table: 'domains',
      wanted: `
        SELECT d.id, d.generation FROM portion JOIN domains d USING (id) WHERE d.counted_generation IS DISTINCT FROM d.generation`,
      change: `
        UPDATE domains d
           SET sitemap_count = c.sitemaps, url_count = c.urls, file_count = c.files, counted_generation = wanted.generation
          FROM free JOIN wanted USING (id) CROSS JOIN LATERAL (
                 SELECT count(*) AS sitemaps, coalesce(sum(u.url_count), 0)::bigint AS urls,
                        coalesce(sum(u.file_count), 0)::bigint AS files
                   FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = free.id) AS c
         -- The sums are those of the snapshot. A later change has a newer generation.
         WHERE d.id = free.id AND d.generation = wanted.generation`,
    }),
  },
  {
    name: 'domains.host_hashes',
    statement: changing({
      table: 'domains',
      wanted: `
        SELECT d.id FROM portion JOIN domains d USING (id) WHERE d.host_hash IS NULL`,
      change: `
        UPDATE domains SET host_hash = substring(sha256(hostname::bytea) FOR 8) WHERE id IN (SELECT id FROM free)`,
    }),
  },
  {
    // 10,000: MIN_INDEXED_ENTRIES in features/sites/url-indexes.ts. An upload that is not compared yet gets its index later.
    name: 'uploads.url_indexes',
    statement: `
      WITH portion AS MATERIALIZED (
        SELECT upload_id, compared_upload_id FROM sitemaps WHERE upload_id > $1 ORDER BY upload_id LIMIT $2
      ), inserted AS (
        INSERT INTO due_url_indexes (upload_id)
        SELECT u.id FROM portion p JOIN uploads u ON u.id = p.upload_id
         WHERE p.compared_upload_id = p.upload_id AND u.url_count >= 10000
            ON CONFLICT DO NOTHING
      )
      SELECT max(upload_id) AS after, count(*) AS rows, 0 AS missed FROM portion`,
  },
];
