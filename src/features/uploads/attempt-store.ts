/** The SQL of attempts: ended ones are in `attempts`, running ones in `upload_slots`, and loads under way in `loads`. */
import type { Violation } from '../../core/sitemap/violation.ts';
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { usageOf } from '../accounts/usage-change-store.ts';
import type { AttemptCounts, AttemptOutcome, AttemptSource, EndedAttempt } from './attempt.ts';
import type { ToldDialect } from './forms/told-dialect.ts';
import type { LoadView } from './loads/load.ts';
import { addedToDays, deleteOldDays } from './upload-day-store.ts';
import type { ViolationKind } from './violation-kinds.ts';

const INSERTED = `id, domain_id, sitemap_name, outcome, started_at, ended_at, form, encoding, bytes_received, url_count,
  file_count, rejected, seq, code, message, errors, error_count, user_agent, key_id, user_id, dialect, kinds`;

/**
 * The parts of a statement that insert attempts and add their usage. `attempts` and `errors` are the placeholders of the two results of
 * `attemptParameters`. An attempt whose domain is gone is left out. Only a failed row is overwritten, because `recordLostAttempts` may have
 * recorded an attempt that still went on. A published or held row stays, because a process that loses the answer to its COMMIT believes
 * that the attempt failed.
 *
 * The bytes of a held upload count now, and its URLs when it is published. An unchanged upload counts like a published one. The bytes of a
 * load count with its parts.
 */
export const insertedAttempts = (attempts: string, errors: string) =>
  `attempts AS (
   INSERT INTO attempts (${INSERTED})
   SELECT r.id, r."domainId", r."sitemapName", r.outcome, r."startedAt", r."endedAt", r.form, r.encoding,
          r."bytesReceived", r."urlCount", r."fileCount", r.rejected, r.seq, r.code, r.message, r.unnest::json,
          r."errorCount", r."userAgent", r."keyId", r."userId", r.dialect,
          r.kinds::json
     FROM ROWS FROM (json_to_recordset(${attempts}::json) AS (
            id text, "domainId" text, "sitemapName" text, outcome text, "startedAt" timestamptz, "endedAt" timestamptz,
            form text, encoding text, "bytesReceived" bigint, "urlCount" bigint, "fileCount" integer, rejected bigint,
            seq integer, code text, message text, "errorCount" bigint, "userAgent" text, "keyId" text, "userId" text,
            dialect json, kinds text),
            unnest(${errors}::text[])) AS r
          JOIN domains d ON d.id = r."domainId" FOR KEY SHARE OF d
   ON CONFLICT (id) DO UPDATE SET (${INSERTED}) = ROW (${INSERTED.replaceAll(/\w+/g, 'excluded.$&')})
    WHERE attempts.outcome = 'failed'
   RETURNING id, domain_id, outcome, url_count, bytes_received), used AS (${usageOf(`
     SELECT d.account_id, CASE WHEN a.outcome = 'held' THEN 0 ELSE a.url_count END AS urls,
            CASE WHEN EXISTS (SELECT FROM loads l WHERE l.id = a.id) THEN 0 ELSE a.bytes_received END AS bytes
       FROM attempts a JOIN domains d ON d.id = a.domain_id WHERE a.outcome IN ('published', 'unchanged', 'held')`)})`;

/**
 * The parts of a statement that mark the attempt of a held upload as published, as generation `seq`. Its bytes were counted when it was
 * held.
 */
export const publishedAttempt = (
  id: string,
  domainId: string,
  seq: string,
  urlCount: string,
  outcome: AttemptOutcome = 'published',
) =>
  `attempts AS (
   UPDATE attempts SET outcome = '${outcome}', ended_at = now(), seq = ${seq}, code = NULL, message = NULL WHERE id = ${id}
   ), used AS (${usageOf(`SELECT account_id, ${urlCount}::bigint AS urls, 0 AS bytes FROM domains WHERE id = ${domainId}`)})`;

/** Marks the attempt of a held upload as unchanged, because `generation` has its content. */
export async function markUnchanged(
  transaction: Transaction,
  held: { readonly id: string; readonly domainId: string },
  { generation, urlCount }: { readonly generation: number; readonly urlCount: number },
): Promise<void> {
  const marked = publishedAttempt('$1', '$2', '$3', '$4', 'unchanged');
  await transaction.query(`WITH ${marked} SELECT`, [held.id, held.domainId, generation, urlCount]);
}

const INSERT_ATTEMPTS = `WITH ${insertedAttempts('$1', '$2')} SELECT`;

/**
 * Errors and kinds are passed as strings that contain JSON. Their values may have escapes such as `\u0000`. A column of type `json` stores
 * these escapes, but `json_to_recordset` refuses them.
 */
export function attemptParameters(
  attempts: readonly EndedAttempt[],
): [attempts: string, errors: readonly string[]] {
  const rows = attempts.map(({ errors: _, kinds, ...attempt }) => ({
    ...attempt,
    kinds: kinds.length === 0 ? null : JSON.stringify(kinds),
  }));
  return [JSON.stringify(rows), attempts.map(({ errors }) => JSON.stringify(errors))];
}

export async function insertAttempt(queryable: Queryable, attempt: EndedAttempt): Promise<void> {
  await queryable.query(INSERT_ATTEMPTS, attemptParameters([attempt]));
}

/** Inserts with a long time-out, for a transaction that must not fail while it waits for a deletion of the domain. */
export async function insertAttemptPatiently(queryable: Queryable, attempt: EndedAttempt): Promise<void> {
  await queryable.query(slowStatement(INSERT_ATTEMPTS, attemptParameters([attempt])));
}

/**
 * Records the attempts of processes that died, from slots that expired more than a minute ago. Any number of processes may run it at once.
 */
export async function recordLostAttempts(queryable: Queryable): Promise<void> {
  await queryable.query(
    `WITH lost AS (
       DELETE FROM upload_slots WHERE expires_at < now() - interval '1 minute' RETURNING progress, expires_at
     )
     INSERT INTO attempts (${INSERTED})
     SELECT p.id, p."domainId", p."sitemapName", 'failed', p."startedAt", lost.expires_at, p.form, p.encoding,
            p."bytesReceived", p."urlCount", p."fileCount", p.rejected, NULL, NULL, NULL, '[]', 0, p."userAgent", p."keyId",
            p."userId", NULL, NULL
       FROM lost, json_to_record(lost.progress) AS p (${PROGRESS}), domains d
      WHERE d.id = p."domainId" FOR KEY SHARE OF d
     ON CONFLICT DO NOTHING`,
  );
}

/** The members of `RunningAttempt` without `bytesTotal`. */
const PROGRESS = `id text, "domainId" text, "sitemapName" text, "startedAt" timestamptz, form text, encoding text,
  "bytesReceived" bigint, "urlCount" bigint, "fileCount" integer, rejected bigint, "userAgent" text, "keyId" text, "userId" text`;

export interface AttemptSummary extends AttemptSource, Readonly<AttemptCounts> {
  readonly id: string;
  readonly domainId: string;
  readonly hostname: string;
  readonly accountId: string;
  /** Empty for the unnamed sitemap. Null if it is not known yet, or if the attempt ended before it was known. */
  readonly sitemapName: string | null;
  readonly outcome: AttemptOutcome | 'running';
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly durationMs: number;
  readonly seq: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: readonly Violation[];
  readonly errorCount: number;
  readonly dialect: ToldDialect | null;
  /** The violations by kind. Null if there are none, or if the attempt is older than the column `kinds`. */
  readonly kinds: readonly ViolationKind[] | null;
  /** Null unless the attempt is a load. */
  readonly load: LoadView | null;
  /**
   * The position in lists. A list begins with the highest position. A newer ended attempt has a higher position, and running attempts are
   * above all ended attempts.
   */
  readonly position: number;
}

const ENDED = `
  SELECT a.id, a.domain_id, a.sitemap_name, a.outcome, a.started_at, a.ended_at, a.form, a.encoding, a.bytes_received,
         a.url_count, a.file_count, a.rejected, a.seq, a.code, a.message, a.errors, a.error_count, a.user_agent, a.key_id,
         a.user_id, a.dialect, a.kinds, a.position
    FROM attempts a`;

/**
 * The slot of an attempt that has just ended may still exist, so attempts with a row in `attempts` are left out here. The number
 * 4503599627370496 is 2^52. It is far above all positions of ended attempts, and a JavaScript number has it exactly.
 */
const RUNNING = `
  SELECT p.id, p."domainId", p."sitemapName", 'running', p."startedAt", NULL, p.form, p.encoding, p."bytesReceived",
         p."urlCount", p."fileCount", p.rejected, NULL, NULL, NULL, '[]'::json, 0, p."userAgent", p."keyId", p."userId",
         NULL, NULL, 4503599627370496 + s.n
    FROM upload_slots s, json_to_record(s.progress) AS p (${PROGRESS})
   WHERE s.expires_at > now() AND NOT EXISTS (SELECT FROM attempts a WHERE a.id = p.id)`;

const LOAD_POSITION = '4503599627370496 + (extract(epoch FROM l.created_at) * 1000)::bigint';

/** A load is under way even while no process works on it. The newest load has the highest position. */
const LOADING = `
  SELECT l.id, l.domain_id, l.sitemap_name, 'running', l.created_at, NULL, l.form, NULL,
         coalesce((l.progress->>'bytes')::bigint, 0), coalesce((l.progress->>'urlCount')::bigint, 0), 0, 0, NULL, NULL, NULL,
         '[]'::json, 0, l.user_agent, l.key_id, l.user_id, NULL, NULL,
         ${LOAD_POSITION}
    FROM loads l
   WHERE l.ended_at IS NULL AND l.account_id = $1 AND NOT EXISTS (SELECT FROM attempts a WHERE a.id = l.id)`;

const COLUMNS = `
  a.id, a.domain_id AS "domainId", d.hostname, d.account_id AS "accountId", a.sitemap_name AS "sitemapName", a.outcome,
  a.started_at AS "startedAt", a.ended_at AS "endedAt",
  greatest(0, round(extract(epoch FROM coalesce(a.ended_at, now()) - a.started_at) * 1000))::float8 AS "durationMs",
  a.form, a.encoding, a.bytes_received AS "bytesReceived", a.url_count AS "urlCount", a.file_count AS "fileCount",
  a.rejected, a.seq, a.code, a.message, a.errors, a.error_count AS "errorCount", a.user_agent AS "userAgent",
  a.key_id AS "keyId", a.user_id AS "userId", a.dialect, a.kinds, a.position,
  (SELECT json_build_object(
    'isScheduled', l.schedule_id IS NOT NULL, 'isListed', l.is_listed, 'objects', l.objects, 'done', l.done, 'skipped', l.skipped, 'bytesTotal', l.bytes_total,
    'progress', l.progress) FROM loads l WHERE l.id = a.id) AS load`;

export interface AttemptsOf {
  readonly accountId: string;
  readonly domainId: string;
  /** Lists only attempts of these sitemaps. Null lists the attempts of all sitemaps. */
  readonly sitemapNames?: readonly string[] | null;
}

/** Lists the first `limit` attempts with a position below `before`: running ones first, then the newest. */
export function listAttempts(
  queryable: Queryable,
  { accountId, domainId, sitemapNames = null }: AttemptsOf,
  limit: number,
  before: number | undefined,
) {
  return allRows<AttemptSummary>(
    queryable,
    `SELECT ${COLUMNS}
       FROM ((${ENDED} WHERE a.domain_id = $2 AND ($4::bigint IS NULL OR a.position < $4)
               AND ($5::text[] IS NULL OR a.sitemap_name = ANY($5))
               ORDER BY a.position DESC LIMIT $3)
             UNION ALL ${RUNNING} AND s.account_id = $1 AND p."domainId" = $2
               AND ($4::bigint IS NULL OR 4503599627370496 + s.n < $4)
               AND ($5::text[] IS NULL OR p."sitemapName" = ANY($5))
             UNION ALL ${LOADING} AND l.domain_id = $2 AND ($4::bigint IS NULL OR ${LOAD_POSITION} < $4)
               AND ($5::text[] IS NULL OR l.sitemap_name = ANY($5))) AS a
            JOIN domains d ON d.id = a.domain_id
      ORDER BY a.position DESC LIMIT $3`,
    [accountId, domainId, limit, before ?? null, sitemapNames],
  );
}

/** Returns undefined also if another account has the attempt. */
export function findAttempt(queryable: Queryable, accountId: string, id: string) {
  return firstRow<AttemptSummary>(
    queryable,
    `SELECT ${COLUMNS}
       FROM (${ENDED} WHERE a.id = $2 UNION ALL ${RUNNING} AND s.account_id = $1 AND p.id = $2
             UNION ALL ${LOADING} AND l.id = $2) AS a
            JOIN domains d ON d.id = a.domain_id
      WHERE d.account_id = $1`,
    [accountId, id],
  );
}

const KEEP_DAYS = 90;
const KEPT_OF_DOMAIN = 1000;
const DELETED_AT_ONCE = 10_000;

/**
 * Deletes attempts and sums of days that are older than 90 days. Of each domain, it also deletes the attempts beyond the newest 1,000, and
 * adds them to the sums of their days. Any number of processes may run it at once.
 */
export async function deleteOldAttempts(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    `DELETE FROM attempts WHERE id IN (SELECT id FROM attempts WHERE ended_at < now() - $1 * interval '1 day'
                                        ORDER BY ended_at LIMIT $2)`,
    [KEEP_DAYS],
    DELETED_AT_ONCE,
  );
  await deleteInPortions(
    queryable,
    addedToDays(
      `DELETE FROM attempts WHERE id IN (
         SELECT old.id
           -- Other domains have no new attempts since several runs of this job, so they have no excess.
           FROM (SELECT DISTINCT domain_id FROM attempts WHERE ended_at > now() - interval '1 hour') AS recent
                CROSS JOIN LATERAL (SELECT id FROM attempts a WHERE a.domain_id = recent.domain_id
                                     ORDER BY a.position DESC OFFSET $1 LIMIT $2) AS old
          LIMIT $2)`,
    ),
    [KEPT_OF_DOMAIN],
    DELETED_AT_ONCE,
  );
  await deleteOldDays(queryable, KEEP_DAYS);
}
