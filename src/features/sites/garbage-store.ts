/** The SQL of `garbage`: the prefixes of objects that may be deleted, each with the time from which this is allowed. */
import {
  pipelined,
  type Queryable,
  queryPatiently,
  slowStatement,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { UPLOADS_PREFIX, uploadIdOfPrefix } from './site.ts';

/** A statement with more prefixes gets a long time-out. A commit of an upload session may add tens of thousands of prefixes. */
const ORDINARY = 1000;

/** Lists prefixes for deletion after `keepMs`. A prefix that is already listed keeps its time. */
export async function addGarbage(
  queryable: Queryable,
  prefixes: readonly string[],
  keepMs: number,
): Promise<void> {
  const name = 'add-garbage';
  const text = `INSERT INTO garbage (prefix, collect_after)
     SELECT unnest($1::text[]), now() + $2 * interval '1 millisecond' ON CONFLICT DO NOTHING`;
  const values = [prefixes, keepMs];
  await queryable.query(
    prefixes.length > ORDINARY ? slowStatement(text, values, name) : { name, text, values },
  );
}

/** Takes a prefix off the list. Returns false if the prefix is not listed, because it has been collected. */
export async function rescueFromGarbage(queryable: Queryable, prefix: string): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'rescue-from-garbage',
    text: 'DELETE FROM garbage WHERE prefix = $1',
    values: [prefix],
  });
  return rowCount === 1;
}

/** A generation of a sitemap that a newer generation has just replaced. */
interface ReplacedGeneration {
  readonly uploadId: string;
  readonly domainId: string;
  readonly sitemapName: string;
  /** The seq of the newer generation. */
  readonly nextSeq: number;
  /** The time when the newer generation was published. */
  readonly nextAt: Date;
  /** Whether the newer generation is a delta. */
  readonly byDelta: boolean;
  /** The number (`seq`) of the last delta of the sitemap. Null if it had no delta. */
  readonly lastDeltaSeq: number | null;
}

/** The number of generations of a sitemap, including the live one, that are kept without a limit of time. */
const KEPT_GENERATIONS = 10;
/** The most generations of a sitemap that are kept for `keepMs`. The limit bounds a sitemap that is uploaded every second. */
export const MOST_GENERATIONS = 100;
/**
 * The time from the withdrawal of uploads to the deletion of their objects. In this time, the sites are written without these uploads. So
 * no site names a deleted file, and crawlers get 404 for it.
 */
export const EVICT_AFTER_MS = 5 * 60_000;

/** How long the last delta of an hour is kept after it was replaced. A delta that a delta of the same hour replaces is deleted soon. */
const HOURLY_KEPT = "interval '1 day'";

/**
 * Marks generations as replaced, and lists their objects. Their bytes count for their accounts. A generation becomes due when the tenth
 * generation after it is published, but not before `keepMs` have passed since it was replaced. When the hundredth generation after it is
 * published, it becomes due in any case. `replaced` has fewer than 90 generations of a sitemap.
 *
 * Deltas do not count as generations in this rule. The last of the deltas between two uploads is kept as long as the upload before it
 * (docs/decisions/0058).
 */
export async function keepReplaced(
  transaction: Transaction,
  replaced: readonly ReplacedGeneration[],
  keepMs: number,
): Promise<void> {
  if (replaced.length === 0) return;
  const byDeltas = replaced.filter(({ byDelta }) => byDelta);
  const hasDeltas = ({ nextSeq, lastDeltaSeq }: ReplacedGeneration) =>
    lastDeltaSeq !== null && nextSeq - lastDeltaSeq <= MOST_GENERATIONS;
  // A delta on a delta does not change which generations are kept. There may be thousands of such deltas, so do nothing for them.
  const isOnDelta = ({ byDelta, nextSeq, lastDeltaSeq }: ReplacedGeneration) =>
    byDelta && lastDeltaSeq === nextSeq - 1;
  const besideDeltas = replaced.filter((one) => hasDeltas(one) && !isOnDelta(one));
  await pipelined([
    listReplaced(transaction, replaced),
    endReplacedDeltas(transaction, byDeltas, keepMs),
    ...besideDeltas.map((one) => endKeptBeside(transaction, one, keepMs)),
    endKept(
      transaction,
      replaced.filter((one) => !hasDeltas(one)),
      keepMs,
    ),
  ]);
}

async function listReplaced(
  transaction: Transaction,
  replaced: readonly ReplacedGeneration[],
): Promise<void> {
  await transaction.query({
    name: 'keep-replaced',
    text: `WITH replaced AS (
             UPDATE uploads SET replaced_at = now() WHERE id = ANY($1) RETURNING *
           )
           INSERT INTO garbage (prefix, collect_after, account_id, bytes)
           SELECT $2 || u.id || '/', 'infinity', d.account_id, own.bytes - own.live
             FROM replaced u JOIN domains d ON d.id = u.domain_id CROSS JOIN LATERAL ${OWN_BYTES} AS own
           ON CONFLICT DO NOTHING`,
    values: [replaced.map(({ uploadId }) => uploadId), UPLOADS_PREFIX],
  });
}

/**
 * Makes deltas due that a delta has replaced. Leaves out generations of other kinds in `replaced`. A delta with more files than the next one
 * is kept for `keepMs` at least, because the site may name it for so long, for crawlers that hold a former index.
 */
async function endReplacedDeltas(
  transaction: Transaction,
  replaced: readonly ReplacedGeneration[],
  keepMs: number,
): Promise<void> {
  if (replaced.length === 0) return;
  await transaction.query({
    name: 'end-replaced-deltas',
    text: `UPDATE garbage AS g
              SET collect_after = greatest(
                    CASE WHEN date_trunc('hour', u.published_at) < date_trunc('hour', replaced.next_at)
                         THEN now() + ${HOURLY_KEPT} ELSE now() + $4 * interval '1 millisecond' END,
                    CASE WHEN u.file_count > next.file_count THEN now() + $6 * interval '1 millisecond' END)
             FROM unnest($1::text[], $2::timestamptz[], $5::integer[]) AS replaced (id, next_at, next_seq) JOIN uploads u USING (id)
                  JOIN uploads next ON next.domain_id = u.domain_id AND next.sitemap_name = u.sitemap_name AND next.seq = replaced.next_seq
            WHERE u.kind = 'delta' AND g.prefix = $3 || u.id || '/'`,
    values: [
      replaced.map(({ uploadId }) => uploadId),
      replaced.map(({ nextAt }) => nextAt),
      UPLOADS_PREFIX,
      EVICT_AFTER_MS,
      replaced.map(({ nextSeq }) => nextSeq),
      keepMs,
    ],
  });
}

/** Does what `endKept` does, for a sitemap with deltas. Its generation numbers do not tell how many uploads came later. */
async function endKeptBeside(
  transaction: Transaction,
  { domainId, sitemapName, nextSeq }: ReplacedGeneration,
  keepMs: number,
): Promise<void> {
  await transaction.query({
    name: 'end-kept-beside-deltas',
    text: `WITH kept AS (
             SELECT g.prefix, g.collect_after, u.replaced_at,
                    count(*) FILTER (WHERE u.kind <> 'delta') OVER newer AS uploads, count(*) OVER newer AS generations
               FROM uploads u JOIN garbage g ON g.prefix = $4 || u.id || '/'
              WHERE u.domain_id = $1 AND u.sitemap_name = $2 AND u.seq < $3
                AND g.collect_after > now() + $6 * interval '1 millisecond'
             WINDOW newer AS (ORDER BY u.seq DESC)
              ORDER BY u.seq DESC LIMIT ${MOST_GENERATIONS + 1}
           ), ended AS (
             SELECT g.prefix, CASE WHEN kept.generations >= ${MOST_GENERATIONS} THEN now() + $6 * interval '1 millisecond'
                                   ELSE kept.replaced_at + $5 * interval '1 millisecond' END AS collect_after
               FROM kept JOIN garbage g USING (prefix)
              WHERE kept.generations >= ${MOST_GENERATIONS}
                 OR (kept.uploads >= ${KEPT_GENERATIONS} AND kept.collect_after = 'infinity')
                FOR UPDATE OF g SKIP LOCKED
           )
           UPDATE garbage AS g SET collect_after = least(g.collect_after, ended.collect_after)
             FROM ended WHERE g.prefix = ended.prefix`,
    values: [domainId, sitemapName, nextSeq, UPLOADS_PREFIX, keepMs, EVICT_AFTER_MS],
  });
}

async function endKept(
  transaction: Transaction,
  replaced: readonly ReplacedGeneration[],
  keepMs: number,
): Promise<void> {
  if (replaced.length === 0) return;
  await transaction.query({
    name: 'end-kept',
    // This statement is separate, because it may end generations that the first statement has just replaced. It skips generations that a
    // collector has locked: they have ended already, or the collector counts their bytes. So it also looks for the generation before, which
    // the last call may have skipped.
    text: `WITH next AS (
             SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) AS next (domain_id, sitemap_name, seq)
           ), ended AS (
             SELECT g.prefix, CASE WHEN u.seq = next.seq - ${MOST_GENERATIONS} THEN now() + $6 * interval '1 millisecond'
                                   ELSE u.replaced_at + $5 * interval '1 millisecond' END AS collect_after
               FROM next JOIN uploads u ON u.domain_id = next.domain_id AND u.sitemap_name = next.sitemap_name
                         AND u.seq IN (next.seq - ${KEPT_GENERATIONS}, next.seq - ${KEPT_GENERATIONS + 1}, next.seq - ${MOST_GENERATIONS})
                    JOIN garbage g ON g.prefix = $4 || u.id || '/'
                     AND (u.seq <> next.seq - ${KEPT_GENERATIONS + 1} OR g.collect_after = 'infinity')
                FOR UPDATE OF g SKIP LOCKED
           )
           UPDATE garbage AS g SET collect_after = least(g.collect_after, ended.collect_after)
             FROM ended WHERE g.prefix = ended.prefix`,
    values: [
      replaced.map(({ domainId }) => domainId),
      replaced.map(({ sitemapName }) => sitemapName),
      replaced.map(({ nextSeq }) => nextSeq),
      UPLOADS_PREFIX,
      keepMs,
      EVICT_AFTER_MS,
    ],
  });
}

/**
 * A subquery: the bytes of the files that the upload `u` itself added (`bytes`), and of those that are live (`live`). The generation of the
 * upload may also have files of other uploads, and later generations may still have the files of the upload. A rollback adds no files.
 */
const OWN_BYTES = `(
  SELECT coalesce(sum(f.gzip_bytes), 0) AS bytes, coalesce(sum(f.gzip_bytes) FILTER (WHERE f.to_seq IS NULL), 0) AS live
    FROM sitemap_files f WHERE f.upload_id = u.id AND f.from_seq = u.seq AND u.kind <> 'rollback')`;

/** A condition: the sitemap of the upload `u` exists. The files of a deleted sitemap count as kept, also those that no generation ended. */
export const HAS_SITEMAP =
  'EXISTS (SELECT FROM sitemaps s WHERE s.domain_id = u.domain_id AND s.name = u.sitemap_name)';

/**
 * Returns SQL that adds the sizes of files to `garbage.bytes` of their uploads. `ended`: the rows of files that have just left the live
 * generation. Run it before the sitemap gets its new generation.
 */
export const addKeptBytes = (ended: string) => `
  UPDATE garbage AS g SET bytes = g.bytes + own.bytes
    FROM (SELECT '${UPLOADS_PREFIX}' || u.id || '/' AS prefix, sum(e.gzip_bytes) AS bytes
            FROM ${ended} e JOIN uploads u ON u.id = e.upload_id AND u.seq = e.from_seq
           WHERE ${HAS_SITEMAP} GROUP BY u.id) AS own
   WHERE g.prefix = own.prefix AND g.account_id IS NOT NULL`;

/**
 * Makes the objects of all generations of a sitemap due after `keepMs` at the latest. Without `sitemapName`, takes all sitemaps of the
 * domain. The bytes of the objects count for their account. Call it before the sitemap is deleted, because only the files of a sitemap that
 * exists may be uncounted.
 */
export async function endGenerations(
  transaction: Transaction,
  { domainId, sitemapName }: { readonly domainId: string; readonly sitemapName?: string },
  keepMs: number,
): Promise<void> {
  await queryPatiently(
    transaction,
    `WITH ended AS (
         SELECT $3 || u.id || '/' AS prefix, now() + $4 * interval '1 millisecond' AS collect_after, d.account_id,
                own.bytes, CASE WHEN ${HAS_SITEMAP} THEN own.live ELSE 0 END AS uncounted
           FROM uploads u JOIN domains d ON d.id = u.domain_id CROSS JOIN LATERAL ${OWN_BYTES} AS own
          WHERE u.domain_id = $1 AND ($2::text IS NULL OR u.sitemap_name = $2)
       ), listed AS (
         INSERT INTO garbage (prefix, collect_after, account_id, bytes)
         SELECT prefix, collect_after, account_id, bytes FROM ended
          WHERE NOT EXISTS (SELECT FROM garbage g WHERE g.prefix = ended.prefix)
         ON CONFLICT DO NOTHING
       ), later AS MATERIALIZED (
         -- Wait for these rows: a collector holds them only for the moment in which it counts their bytes.
         SELECT g.prefix, ended.collect_after, ended.uncounted FROM ended JOIN garbage g ON g.prefix = ended.prefix
          WHERE g.collect_after > ended.collect_after FOR UPDATE OF g
       ), soon AS MATERIALIZED (
         SELECT g.prefix, ended.collect_after, ended.uncounted FROM ended JOIN garbage g ON g.prefix = ended.prefix
          WHERE g.collect_after <= ended.collect_after AND ended.uncounted > 0 FOR UPDATE OF g SKIP LOCKED
       )
       UPDATE garbage AS g SET collect_after = least(g.collect_after, kept.collect_after), bytes = g.bytes + kept.uncounted
         FROM (SELECT * FROM later UNION ALL SELECT * FROM soon) AS kept WHERE g.prefix = kept.prefix`,
    [domainId, sitemapName ?? null, UPLOADS_PREFIX, keepMs],
  );
}

/** A condition: a rollback can restore the generation `u`, because its objects are in `garbage` and are not due. */
export const IS_KEPT = `(u.replaced_at IS NOT NULL AND NOT u.withdrawn
  AND EXISTS (SELECT FROM garbage g WHERE g.prefix = '${UPLOADS_PREFIX}' || u.id || '/' AND g.collect_after > now()
                AND g.ended_at IS NULL))`;

/** A condition: the generation `seq` has the file `f`. The statement must also compare the domain and the name of the sitemap. */
export const filesOf = (seq: string) => `f.from_seq <= ${seq} AND (f.to_seq IS NULL OR f.to_seq > ${seq})`;

/** Collectors that have begun end within this time. Later collectors see the rows that a rollback has committed. */
const HOLD_MS = 3_600_000;

/**
 * Keeps collectors away from a generation and its objects until a new generation has rows that need these objects (`IS_NEEDED`). Returns
 * false if a collector has taken some of the objects. `uploadId` is the upload of the generation, which is not live. `liveId` is the live
 * upload, which is not in `garbage`.
 */
export async function protectGeneration(
  transaction: Transaction,
  { domainId, sitemapName, seq }: { domainId: string; sitemapName: string; seq: number },
  { uploadId, liveId }: { uploadId: string; liveId: string },
): Promise<boolean> {
  const { rows } = await transaction.query<{ areHeld: boolean }>(
    // Change the row, and do not only lock it. A collector that found the row due then sees the new time, and leaves the row.
    slowStatement(
      `WITH wanted AS (
         SELECT $4 || $5::text || '/' AS prefix
          UNION
         SELECT $4 || f.upload_id || '/' FROM sitemap_files f
          WHERE f.domain_id = $1 AND f.sitemap_name = $2 AND ${filesOf('$3::integer')} AND f.upload_id <> $6
       ), free AS (
         -- An ended upload may have files of the generation, but a rollback cannot restore its own generation.
         SELECT g.prefix FROM garbage g
          WHERE g.prefix IN (SELECT prefix FROM wanted) AND (g.ended_at IS NULL OR g.prefix <> $4 || $5::text || '/')
            FOR UPDATE SKIP LOCKED
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

/** A replaced upload, or an upload of a deleted domain, that exceeds the bytes that its account may keep. */
export interface ExcessUpload {
  readonly prefix: string;
  /** The domain of the upload. Null when the domain is deleted. */
  readonly domainId: string | null;
  readonly hostname: string | null;
}

/** The pages of `kept_bytes_changes` that one statement adds up. 100 pages of 8 KiB have some 18,000 rows. */
const SUMMED_PAGES = 100;

/** Updates the sums of the kept bytes of accounts by the changes since the last call. */
export async function sumKeptBytes(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ pages: number }>(
    `SELECT pg_relation_size('kept_bytes_changes') / current_setting('block_size')::integer AS pages`,
  );
  for (let page = 0; page < rows[0]!.pages; page += SUMMED_PAGES) {
    await queryable.query(
      slowStatement(
        `WITH changes AS (
           DELETE FROM kept_bytes_changes WHERE ctid >= ('(' || $1::bigint || ',0)')::tid AND ctid < ('(' || $2::bigint || ',0)')::tid
           RETURNING account_id, bytes)
         INSERT INTO kept_bytes SELECT account_id, sum(bytes) FROM changes GROUP BY 1 ORDER BY 1
         ON CONFLICT (account_id) DO UPDATE SET bytes = kept_bytes.bytes + excluded.bytes`,
        [page, page + SUMMED_PAGES],
      ),
    );
  }
  await queryable.query(slowStatement('DELETE FROM kept_bytes WHERE bytes = 0', []));
}

/** An account that keeps more than its plan allows. */
interface ExcessiveAccount {
  readonly id: string;
  readonly allowedBytes: number;
}

/** Lists the accounts that keep more bytes than `allowedBytes` has for their plan. Call `sumKeptBytes` first. */
export function listExcessiveAccounts(queryable: Queryable, allowedBytes: Readonly<Record<string, number>>) {
  return allRows<ExcessiveAccount>(
    queryable,
    slowStatement(
      `SELECT a.id, allowed.bytes AS "allowedBytes"
         FROM kept_bytes k JOIN accounts a ON a.id = k.account_id
              JOIN unnest($1::text[], $2::bigint[]) AS allowed (plan, bytes) ON allowed.plan = a.plan
        WHERE k.bytes > allowed.bytes`,
      [Object.keys(allowedBytes), Object.values(allowedBytes)],
    ),
  );
}

/**
 * Lists the uploads of an account beyond its allowed bytes, when the bytes are summed from the newest upload on. Uploads that are due
 * within `soonMs` count for the sum, but are not returned.
 */
export function listExcessUploads(
  queryable: Queryable,
  { id, allowedBytes }: ExcessiveAccount,
  soonMs: number,
) {
  return allRows<ExcessUpload>(
    queryable,
    slowStatement(
      `WITH kept AS (
         SELECT prefix, collect_after, sum(bytes) OVER (ORDER BY listed_at DESC, prefix) AS bytes
           FROM garbage WHERE account_id = $1
       )
       SELECT k.prefix, d.id AS "domainId", d.hostname
         FROM kept k LEFT JOIN uploads u ON u.id = split_part(k.prefix, '/', 2)
              LEFT JOIN domains d ON d.id = u.domain_id
        WHERE k.bytes > $2 AND k.collect_after > now() + $3 * interval '1 millisecond'`,
      [id, allowedBytes, soonMs],
    ),
  );
}

/**
 * Makes replaced uploads due after `delayMs` at the latest, and withdraws them, so that sites stop naming them. Leaves out uploads that are
 * no longer in `garbage`, because a held upload or a session may have been published meanwhile.
 */
export async function evictUploads(
  transaction: Transaction,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  // Lock `garbage` before `uploads`, as a collector does.
  const { rows } = await transaction.query<{ prefix: string }>(
    `UPDATE garbage SET collect_after = least(collect_after, now() + $2 * interval '1 millisecond')
      WHERE prefix = ANY($1) RETURNING prefix`,
    [prefixes, delayMs],
  );
  await transaction.query('UPDATE uploads SET withdrawn = true WHERE id = ANY($1)', [
    rows.map(({ prefix }) => uploadIdOfPrefix(prefix)),
  ]);
}

/**
 * The value of the column `objects` while a comparison stores a list of changes as the only objects of the upload. The writer of the site
 * may store a listing meanwhile.
 */
export const STORES_PARTS = -1;

/** Call this function before objects are stored beside the files of uploads. A collector then lists the store to find the objects. */
export async function markObjects(queryable: Queryable, uploadIds: readonly string[]): Promise<void> {
  if (uploadIds.length === 0) return;
  await queryable.query('UPDATE uploads SET objects = NULL WHERE id = ANY($1) AND objects IS NOT NULL', [
    uploadIds,
  ]);
}

/** Makes a prefix due after `keepMs`. */
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
  // This statement is slow, because it also deletes the rows of all files.
  await queryable.query(slowStatement('DELETE FROM uploads WHERE id = ANY($1)', [uploadIds]));
}
