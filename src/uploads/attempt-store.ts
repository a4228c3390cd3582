/** The SQL of attempts: those that have ended in `attempts`, those under way in `upload_slots`. */
import { type Queryable, slowStatement } from '../platform/postgres/database.ts';
import { deleteInPortions } from '../platform/postgres/delete-in-portions.ts';
import type { Violation } from '../sitemap/violation.ts';
import type { AttemptCounts, AttemptOutcome, AttemptSource, EndedAttempt } from './attempt.ts';
import { addedToDays, deleteOldDays } from './upload-day-store.ts';

const INSERTED = `id, domain_id, sitemap_name, outcome, started_at, ended_at, form, encoding, bytes_received, url_count,
  file_count, rejected, seq, code, message, errors, error_count, user_agent, key_id, user_id`;

/**
 * Inserts attempts, from the two parameters that `attemptParameters` makes. An attempt whose domain is gone is left out, and
 * one that was taken for lost is recorded anew. What a transaction published or held stays so: if the answer to its COMMIT is
 * lost, its process takes it for failed.
 */
export const insertAttemptsStatement = (attempts: string, errors: string) =>
  `INSERT INTO attempts (${INSERTED})
   SELECT r.id, r."domainId", r."sitemapName", r.outcome, r."startedAt", r."endedAt", r.form, r.encoding,
          r."bytesReceived", r."urlCount", r."fileCount", r.rejected, r.seq, r.code, r.message, r.unnest::json,
          r."errorCount", r."userAgent", r."keyId", r."userId"
     FROM ROWS FROM (json_to_recordset(${attempts}::json) AS (
            id text, "domainId" text, "sitemapName" text, outcome text, "startedAt" timestamptz, "endedAt" timestamptz,
            form text, encoding text, "bytesReceived" bigint, "urlCount" bigint, "fileCount" integer, rejected bigint,
            seq integer, code text, message text, "errorCount" bigint, "userAgent" text, "keyId" text, "userId" text),
            unnest(${errors}::text[])) AS r
          JOIN domains d ON d.id = r."domainId" FOR KEY SHARE OF d
   ON CONFLICT (id) DO UPDATE SET (${INSERTED}) = ROW (${INSERTED.replaceAll(/\w+/g, 'excluded.$&')})
    WHERE attempts.outcome = 'failed'`;

/** An attempt that is recorded already, because its upload was held, is published as generation `seq`. */
export const publishAttemptStatement = (id: string, seq: string) =>
  `UPDATE attempts SET outcome = 'published', ended_at = now(), seq = ${seq}, code = NULL, message = NULL WHERE id = ${id}`;

/** Apart from the errors: their values may have escapes that Postgres can store, but not read. */
export function attemptParameters(
  attempts: readonly EndedAttempt[],
): [attempts: string, errors: readonly string[]] {
  const withoutErrors = attempts.map(({ errors: _, ...attempt }) => attempt);
  return [JSON.stringify(withoutErrors), attempts.map(({ errors }) => JSON.stringify(errors))];
}

export async function insertAttempt(queryable: Queryable, attempt: EndedAttempt): Promise<void> {
  await queryable.query(insertAttemptsStatement('$1', '$2'), attemptParameters([attempt]));
}

/** In a transaction that must not fail because it waits for whoever deletes the domain. */
export async function insertAttemptPatiently(queryable: Queryable, attempt: EndedAttempt): Promise<void> {
  await queryable.query(slowStatement(insertAttemptsStatement('$1', '$2'), attemptParameters([attempt])));
}

/**
 * Records the attempts of processes that died, from the slots that nobody has renewed or taken since. Any number of processes
 * may run it at once.
 */
export async function recordLostAttempts(queryable: Queryable): Promise<void> {
  await queryable.query(
    `WITH lost AS (
       DELETE FROM upload_slots WHERE expires_at < now() - interval '1 minute' RETURNING progress, expires_at
     )
     INSERT INTO attempts (${INSERTED})
     SELECT p.id, p."domainId", p."sitemapName", 'failed', p."startedAt", lost.expires_at, p.form, p.encoding,
            p."bytesReceived", p."urlCount", p."fileCount", p.rejected, NULL, NULL, NULL, '[]', 0, p."userAgent", p."keyId",
            p."userId"
       FROM lost, json_to_record(lost.progress) AS p (${PROGRESS}), domains d
      WHERE d.id = p."domainId" FOR KEY SHARE OF d
     ON CONFLICT DO NOTHING`,
  );
}

/** The members of `RunningAttempt`. */
const PROGRESS = `id text, "domainId" text, "sitemapName" text, "startedAt" timestamptz, form text, encoding text,
  "bytesReceived" bigint, "urlCount" bigint, "fileCount" integer, rejected bigint, "userAgent" text, "keyId" text, "userId" text`;

export interface AttemptSummary extends AttemptSource, Readonly<AttemptCounts> {
  readonly id: string;
  readonly domainId: string;
  readonly hostname: string;
  readonly accountId: string;
  /** Empty for the unnamed one; null: it is not known yet, or never came. */
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
  /** In lists: the newest is the highest. Those under way are above all that have ended. */
  readonly position: number;
}

const ENDED = `
  SELECT a.id, a.domain_id, a.sitemap_name, a.outcome, a.started_at, a.ended_at, a.form, a.encoding, a.bytes_received,
         a.url_count, a.file_count, a.rejected, a.seq, a.code, a.message, a.errors, a.error_count, a.user_agent, a.key_id,
         a.user_id, a.position
    FROM attempts a`;

/** Those that have just ended are still in their slots. 2^52: far above all positions, and exact in a number. */
const RUNNING = `
  SELECT p.id, p."domainId", p."sitemapName", 'running', p."startedAt", NULL, p.form, p.encoding, p."bytesReceived",
         p."urlCount", p."fileCount", p.rejected, NULL, NULL, NULL, '[]'::json, 0, p."userAgent", p."keyId", p."userId",
         4503599627370496 + s.n
    FROM upload_slots s, json_to_record(s.progress) AS p (${PROGRESS})
   WHERE s.expires_at > now() AND NOT EXISTS (SELECT FROM attempts a WHERE a.id = p.id)`;

const COLUMNS = `
  a.id, a.domain_id AS "domainId", d.hostname, d.account_id AS "accountId", a.sitemap_name AS "sitemapName", a.outcome,
  a.started_at AS "startedAt", a.ended_at AS "endedAt",
  greatest(0, round(extract(epoch FROM coalesce(a.ended_at, now()) - a.started_at) * 1000))::float8 AS "durationMs",
  a.form, a.encoding, a.bytes_received AS "bytesReceived", a.url_count AS "urlCount", a.file_count AS "fileCount",
  a.rejected, a.seq, a.code, a.message, a.errors, a.error_count AS "errorCount", a.user_agent AS "userAgent",
  a.key_id AS "keyId", a.user_id AS "userId", a.position`;

/** Those under way first, then the newest: the first `limit` with a position below `before`. */
export async function listAttempts(
  queryable: Queryable,
  { accountId, domainId }: { readonly accountId: string; readonly domainId: string },
  limit: number,
  before: number | undefined,
): Promise<AttemptSummary[]> {
  const { rows } = await queryable.query<AttemptSummary>(
    `SELECT ${COLUMNS}
       FROM ((${ENDED} WHERE a.domain_id = $2 AND ($4::bigint IS NULL OR a.position < $4)
               ORDER BY a.position DESC LIMIT $3)
             UNION ALL ${RUNNING} AND s.account_id = $1 AND p."domainId" = $2
               AND ($4::bigint IS NULL OR 4503599627370496 + s.n < $4)) AS a
            JOIN domains d ON d.id = a.domain_id
      ORDER BY a.position DESC LIMIT $3`,
    [accountId, domainId, limit, before ?? null],
  );
  return rows;
}

/** Of this account only. */
export async function findAttempt(
  queryable: Queryable,
  accountId: string,
  id: string,
): Promise<AttemptSummary | undefined> {
  const { rows } = await queryable.query<AttemptSummary>(
    `SELECT ${COLUMNS}
       FROM (${ENDED} WHERE a.id = $2 UNION ALL ${RUNNING} AND s.account_id = $1 AND p.id = $2) AS a
            JOIN domains d ON d.id = a.domain_id
      WHERE d.account_id = $1`,
    [accountId, id],
  );
  return rows[0];
}

const KEEP_DAYS = 90;
const KEPT_OF_DOMAIN = 1000;
const DELETED_AT_ONCE = 10_000;

/** Deletes those beyond 90 days, and beyond 1,000 of a domain, whose days keep their sums. Any number of processes may run it at once. */
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
           -- Whose attempts are all older than some runs of the job has no more than then.
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
