/** The SQL of `garbage`: objects that nothing refers to, or soon nothing will. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { SITES_PREFIX, UPLOADS_PREFIX, uploadIdOfPrefix } from './site.ts';

/** Lists prefixes for deletion in `keepMs`. A prefix that is already listed keeps its time. */
export async function addGarbage(
  queryable: Queryable,
  prefixes: readonly string[],
  keepMs: number,
): Promise<void> {
  await queryable.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT unnest($1::text[]), now() + $2 * interval '1 millisecond' ON CONFLICT DO NOTHING`,
    [prefixes, keepMs],
  );
}

/** Takes a prefix off the list. Returns false when it is not listed, because it has been collected. */
export async function rescueFromGarbage(queryable: Queryable, prefix: string): Promise<boolean> {
  const { rowCount } = await queryable.query('DELETE FROM garbage WHERE prefix = $1', [prefix]);
  return rowCount === 1;
}

/** A generation of a sitemap that a newer one has just replaced. */
export interface ReplacedGeneration {
  readonly uploadId: string;
  readonly domainId: string;
  readonly sitemapName: string;
  /** The seq of the newer one. */
  readonly nextSeq: number;
}

/** Generations of a sitemap that are kept however old they are, the live one included. */
const KEPT_GENERATIONS = 10;
/** At most so many are kept for `keepMs`, so a sitemap that is uploaded every second stays bounded. */
export const MOST_GENERATIONS = 100;
/** Long enough to write the sites without these uploads. A crawler then gets 404; no site names a deleted file. */
export const HASTE_MS = 5 * 60_000;

/**
 * Marks generations as replaced, and lists their objects. Their bytes count for their accounts. A generation is not due before
 * the tenth one after it is published, and then `keepMs` after it was replaced. Fewer than 90 of a sitemap at once.
 */
export async function keepReplaced(
  transaction: Transaction,
  replaced: readonly ReplacedGeneration[],
  keepMs: number,
): Promise<void> {
  await transaction.query({
    name: 'keep-replaced',
    text: `WITH replaced AS (
             UPDATE uploads SET replaced_at = now() WHERE id = ANY($1) RETURNING *
           )
           INSERT INTO garbage (prefix, collect_after, account_id, bytes)
           SELECT $2 || u.id || '/', 'infinity', d.account_id, ${OWN_BYTES}
             FROM replaced u JOIN domains d ON d.id = u.domain_id
           ON CONFLICT DO NOTHING`,
    values: [replaced.map(({ uploadId }) => uploadId), UPLOADS_PREFIX],
  });
  await transaction.query({
    name: 'end-kept',
    // A statement of its own: it may end generations that the group itself has replaced.
    // Never wait for a collector: what it holds has ended already.
    text: `WITH next AS (
             SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) AS next (domain_id, sitemap_name, seq)
           ), ended AS (
             SELECT g.prefix, CASE WHEN u.seq = next.seq - ${MOST_GENERATIONS} THEN now() + $6 * interval '1 millisecond'
                                   ELSE u.replaced_at + $5 * interval '1 millisecond' END AS collect_after
               FROM next JOIN uploads u ON u.domain_id = next.domain_id AND u.sitemap_name = next.sitemap_name
                         AND u.seq IN (next.seq - ${KEPT_GENERATIONS}, next.seq - ${MOST_GENERATIONS})
                    JOIN garbage g ON g.prefix = $4 || u.id || '/'
                FOR UPDATE OF g SKIP LOCKED
           )
           UPDATE garbage AS g SET collect_after = least(g.collect_after, ended.collect_after)
             FROM ended WHERE g.prefix = ended.prefix`,
    values: [
      replaced.map(({ domainId }) => domainId),
      replaced.map(({ sitemapName }) => sitemapName),
      replaced.map(({ nextSeq }) => nextSeq),
      ...[UPLOADS_PREFIX, keepMs, HASTE_MS],
    ],
  });
}

/** The files of a rollback are the objects of an upload. */
const OWN_BYTES = `CASE u.kind WHEN 'upload' THEN u.gzip_bytes ELSE 0 END`;

/** Makes the objects of all generations of a sitemap due in `keepMs` at the latest. Their bytes count for their account. */
export function endGenerations(
  queryable: Queryable,
  { domainId, sitemapName }: { readonly domainId: string; readonly sitemapName: string },
  keepMs: number,
): Promise<void> {
  return endUploads(queryable, domainId, sitemapName, keepMs);
}

/** The same for all sitemaps of a domain. */
export function addUploadsOfDomain(queryable: Queryable, domainId: string, keepMs: number): Promise<void> {
  return endUploads(queryable, domainId, null, keepMs);
}

async function endUploads(
  queryable: Queryable,
  domainId: string,
  sitemapName: string | null,
  keepMs: number,
): Promise<void> {
  await queryable.query(
    slowStatement(
      `WITH ended AS (
         SELECT $3 || u.id || '/' AS prefix, now() + $4 * interval '1 millisecond' AS collect_after, d.account_id,
                ${OWN_BYTES} AS bytes
           FROM uploads u JOIN domains d ON d.id = u.domain_id
          WHERE u.domain_id = $1 AND ($2::text IS NULL OR u.sitemap_name = $2)
       ), listed AS (
         INSERT INTO garbage (prefix, collect_after, account_id, bytes)
         SELECT * FROM ended WHERE NOT EXISTS (SELECT FROM garbage g WHERE g.prefix = ended.prefix)
         ON CONFLICT DO NOTHING
       ), kept AS (
         SELECT g.prefix, ended.collect_after FROM ended JOIN garbage g ON g.prefix = ended.prefix
          WHERE g.collect_after > ended.collect_after FOR UPDATE OF g SKIP LOCKED
       )
       UPDATE garbage AS g SET collect_after = kept.collect_after FROM kept WHERE g.prefix = kept.prefix`,
      [domainId, sitemapName, UPLOADS_PREFIX, keepMs],
    ),
  );
}

/** Whether the generation `u` is there to be rolled back to. Its objects are in `garbage`, and not due. */
export const IS_KEPT = `(u.replaced_at IS NOT NULL AND NOT u.withdrawn
  AND EXISTS (SELECT FROM garbage g WHERE g.prefix = '${UPLOADS_PREFIX}' || u.id || '/' AND g.collect_after > now()))`;

/** The files `f` of the generation `seq` of a sitemap, whose domain and name are compared elsewhere. */
export const filesOf = (seq: string) => `f.from_seq <= ${seq} AND (f.to_seq IS NULL OR f.to_seq > ${seq})`;

/** Long enough for every collector that has begun to see what a rollback commits. */
const HOLD_MS = 3_600_000;

/**
 * Keeps collectors away from a generation and its objects, until a new one names them too: its rows keep them from then on
 * (`IS_NEEDED`). Returns false if a collector has some of them, or had. `uploadId`: of the generation, which is not live.
 * `liveId`: the live upload, which is not listed.
 */
export async function holdGeneration(
  transaction: Transaction,
  { domainId, sitemapName, seq }: { domainId: string; sitemapName: string; seq: number },
  { uploadId, liveId }: { uploadId: string; liveId: string },
): Promise<boolean> {
  const { rows } = await transaction.query<{ areHeld: boolean }>(
    // A changed row, not only a locked one: a collector that found it due looks at its new time, and leaves it.
    slowStatement(
      `WITH wanted AS (
         SELECT $4 || $5::text || '/' AS prefix
          UNION
         SELECT $4 || f.upload_id || '/' FROM sitemap_files f
          WHERE f.domain_id = $1 AND f.sitemap_name = $2 AND ${filesOf('$3::integer')} AND f.upload_id <> $6
       ), free AS (
         SELECT g.prefix FROM garbage g WHERE g.prefix IN (SELECT prefix FROM wanted) FOR UPDATE SKIP LOCKED
       ), held AS (
         UPDATE garbage AS g SET collect_after = greatest(g.collect_after, now() + $7 * interval '1 millisecond')
           FROM free WHERE g.prefix = free.prefix RETURNING g.prefix
       )
       SELECT (SELECT count(*) FROM wanted) = (SELECT count(*) FROM held) AS "areHeld"`,
      [domainId, sitemapName, seq, UPLOADS_PREFIX, uploadId, liveId, HOLD_MS],
    ),
  );
  return rows[0]!.areHeld;
}

/** A replaced upload, or one of a deleted domain, beyond the bytes that its account may keep. */
export interface ExcessUpload {
  readonly prefix: string;
  /** Null when the domain is deleted. */
  readonly domainId: string | null;
  readonly hostname: string | null;
}

/** Adds up what was listed and collected since the last time. */
export async function sumKeptBytes(queryable: Queryable): Promise<void> {
  await queryable.query(
    slowStatement(
      `WITH changes AS (DELETE FROM kept_bytes_changes RETURNING account_id, bytes)
       INSERT INTO kept_bytes SELECT account_id, sum(bytes) FROM changes GROUP BY 1 ORDER BY 1
       ON CONFLICT (account_id) DO UPDATE SET bytes = kept_bytes.bytes + excluded.bytes`,
      [],
    ),
  );
  await queryable.query(slowStatement('DELETE FROM kept_bytes WHERE bytes = 0', []));
}

/**
 * Lists the uploads beyond the bytes that each account's plan allows (`allowedBytes`, by plan), counted from the
 * newest. Uploads that are due within `soonMs` count, but are not returned. After `sumKeptBytes`: only the rows of accounts that are
 * over their bytes are read.
 */
export async function listExcessUploads(
  queryable: Queryable,
  allowedBytes: Readonly<Record<string, number>>,
  soonMs: number,
): Promise<ExcessUpload[]> {
  const { rows: over } = await queryable.query<{ id: string; bytes: number }>(
    slowStatement(
      `SELECT a.id, allowed.bytes
         FROM kept_bytes k JOIN accounts a ON a.id = k.account_id
              JOIN unnest($1::text[], $2::bigint[]) AS allowed (plan, bytes) ON allowed.plan = a.plan
        WHERE k.bytes > allowed.bytes`,
      [Object.keys(allowedBytes), Object.values(allowedBytes)],
    ),
  );
  if (over.length === 0) return [];
  const { rows } = await queryable.query<ExcessUpload>(
    slowStatement(
      `WITH over AS (
         SELECT * FROM unnest($1::text[], $2::bigint[]) AS over (account_id, bytes)
       ), kept AS (
         SELECT prefix, account_id, collect_after,
                sum(bytes) OVER (PARTITION BY account_id ORDER BY listed_at DESC, prefix) AS bytes
           FROM garbage WHERE account_id = ANY($1)
       )
       SELECT k.prefix, d.id AS "domainId", d.hostname
         FROM kept k JOIN over USING (account_id)
              LEFT JOIN uploads u ON u.id = split_part(k.prefix, '/', 2)
              LEFT JOIN domains d ON d.id = u.domain_id
        WHERE k.bytes > over.bytes AND k.collect_after > now() + $3 * interval '1 millisecond'`,
      [over.map(({ id }) => id), over.map(({ bytes }) => bytes), soonMs],
    ),
  );
  return rows;
}

/** Makes replaced uploads due in `delayMs` at the latest, and withdraws them, so that sites stop naming them. */
export async function hastenUploads(
  transaction: Transaction,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  // Lock `garbage` before `uploads`, as a collector does.
  await transaction.query(
    `UPDATE garbage SET collect_after = least(collect_after, now() + $2 * interval '1 millisecond')
      WHERE prefix = ANY($1)`,
    [prefixes, delayMs],
  );
  await transaction.query('UPDATE uploads SET withdrawn = true WHERE id = ANY($1)', [
    prefixes.map(uploadIdOfPrefix),
  ]);
}

/**
 * Whether a comparison needs the upload (docs/decisions/0025): one that is under way reads it and writes beside it, or one
 * that is due will read it, for a day at most. Names the columns of `garbage`.
 */
export const IS_COMPARED = `(
  EXISTS (SELECT FROM sitemaps s
           WHERE s.comparing_upload_id = split_part(prefix, '/', 2) AND s.comparing_until > now())
  OR (collect_after > now() - interval '1 day'
      AND EXISTS (SELECT FROM sitemaps s
                   WHERE s.compared_upload_id = split_part(prefix, '/', 2)
                     AND s.compared_upload_id IS DISTINCT FROM s.upload_id)))`;

/**
 * Whether another generation than the upload itself has files of it (docs/decisions/0030). Names the columns of `garbage`.
 */
export const IS_NEEDED = `EXISTS (
  SELECT FROM uploads own JOIN sitemap_files f ON f.upload_id = own.id
         JOIN uploads u ON u.domain_id = f.domain_id AND u.sitemap_name = f.sitemap_name
   WHERE own.id = split_part(prefix, '/', 2) AND u.id <> own.id AND ${filesOf('u.seq')}
     -- Up to 50,000 rows are of its own generation alone: leave them out before the join.
     AND (f.from_seq <> own.seq OR f.to_seq IS DISTINCT FROM own.seq + 1))`;

const IS_DUE = `collect_after <= now() AND NOT ${IS_COMPARED} AND NOT ${IS_NEEDED}`;

/** A prefix that is due. */
export interface DueGarbage {
  readonly prefix: string;
  /** With how many its upload was published. Null: it never was, or it is no upload. */
  readonly files: number | null;
  /** The objects are so many parts of changes. Null: only the store knows. */
  readonly objects: number | null;
}

/** Locks and returns prefixes that are due and that no other transaction has locked. Without the indexes of sites. */
export async function takeDueGarbage(queryable: Queryable, limit: number): Promise<DueGarbage[]> {
  const { rows } = await queryable.query<DueGarbage>(
    slowStatement(
      `WITH due AS MATERIALIZED (
         SELECT prefix FROM garbage WHERE ${IS_DUE} AND NOT starts_with(prefix, $2)
          ORDER BY collect_after LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       SELECT prefix, u.file_count AS files, u.objects
         FROM due LEFT JOIN LATERAL (
                SELECT file_count, objects FROM uploads WHERE id = split_part(prefix, '/', 2) LIMIT 1) u ON true`,
      [limit, SITES_PREFIX],
    ),
  );
  return rows;
}

/** Before objects are stored for these uploads: whoever collects them asks the store which. */
export async function markObjects(queryable: Queryable, uploadIds: readonly string[]): Promise<void> {
  await queryable.query('UPDATE uploads SET objects = NULL WHERE id = ANY($1) AND objects IS NOT NULL', [
    uploadIds,
  ]);
}

/** Does the same for the indexes of one site. */
export async function takeDueIndexes(queryable: Queryable): Promise<string | undefined> {
  const { rows } = await queryable.query<{ prefix: string }>(
    slowStatement(
      `SELECT prefix FROM garbage WHERE collect_after <= now() AND starts_with(prefix, $1)
        ORDER BY collect_after LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [SITES_PREFIX],
    ),
  );
  return rows[0]?.prefix;
}

/** Makes a prefix due in `keepMs`. */
export async function postponeGarbage(queryable: Queryable, prefix: string, keepMs: number): Promise<void> {
  await queryable.query(
    `UPDATE garbage SET collect_after = now() + $2 * interval '1 millisecond' WHERE prefix = $1`,
    [prefix, keepMs],
  );
}

/** Deletes prefixes and the rows of their uploads. Fails if such an upload is live, which should never happen. */
export async function forgetGarbage(queryable: Queryable, prefixes: readonly string[]): Promise<void> {
  await queryable.query(slowStatement('DELETE FROM garbage WHERE prefix = ANY($1)', [prefixes]));
  const uploadIds = prefixes.map(uploadIdOfPrefix).filter((id) => id !== undefined);
  if (uploadIds.length === 0) return;
  // With the rows of their files.
  await queryable.query(slowStatement('DELETE FROM uploads WHERE id = ANY($1)', [uploadIds]));
}
