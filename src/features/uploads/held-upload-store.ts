/** The SQL of uploads that the guard of their domain has held. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { firstRow } from '../../platform/postgres/rows.ts';
import { UPLOADS_PREFIX, uploadPrefix } from '../sites/site.ts';
import type { ContentPrint } from './content-print.ts';
import type { StagedFile } from './staging.ts';

export interface HeldUploadRow {
  readonly id: string;
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly pingSearch: boolean;
  /** The number of rejected entries. Null if the upload allowed no invalid entries. */
  readonly rejected: number | null;
  readonly files: readonly StagedFile[];
  /** Null if the version of Waypost that took the upload recorded no prints. */
  readonly print: ContentPrint | null;
}

/** A row with its state. `published` is the outcome of its publication. */
export interface HeldUpload<Published> extends Omit<HeldUploadRow, 'files'> {
  /** Null once the upload is published. */
  readonly files: readonly StagedFile[] | null;
  readonly published: Published | null;
  /** Whether the hold has not ended yet, so the files can still be published. */
  readonly isHeld: boolean;
}

/** SQL. The files of a held upload are collected this long after its hold ends, so a late publication does not lose them. */
export const HOLD_MARGIN = `interval '1 minute'`;

/**
 * Keeps the files of an upload for `holdMs`. Their bytes count as kept bytes, like the bytes of replaced uploads. If the account keeps too
 * many bytes, `evictExcess` ends the hold earlier. Returns the end of the hold.
 */
export async function insertHeldUpload(
  transaction: Transaction,
  upload: HeldUploadRow,
  holdMs: number,
): Promise<Date> {
  const { id, accountId, domainId, hostname, sitemapName, pingSearch, rejected, files, print } = upload;
  const gzipBytes = files.reduce((sum, file) => sum + file.gzipBytes, 0);
  const { rows } = await transaction.query<{ heldUntil: Date }>(
    `UPDATE garbage
        SET collect_after = now() + $2 * interval '1 millisecond' + ${HOLD_MARGIN}, account_id = $3, bytes = $4
      WHERE prefix = $1 RETURNING collect_after - ${HOLD_MARGIN} AS "heldUntil"`,
    [uploadPrefix(id), holdMs, accountId, gzipBytes],
  );
  if (rows[0] === undefined) throw new Error(`upload ${id} was collected before it was held`);
  await transaction.query(
    slowStatement(
      `INSERT INTO held_uploads
         (id, account_id, domain_id, hostname, sitemap_name, ping_search, rejected, files, print)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        id,
        accountId,
        domainId,
        hostname,
        sitemapName,
        pingSearch,
        rejected,
        JSON.stringify(files),
        print && JSON.stringify(print),
      ],
    ),
  );
  return rows[0].heldUntil;
}

const COLUMNS = `id, account_id AS "accountId", domain_id AS "domainId", hostname, sitemap_name AS "sitemapName",
  ping_search AS "pingSearch", rejected, print, published,
  EXISTS (SELECT FROM garbage WHERE prefix = $2 AND collect_after > now() + ${HOLD_MARGIN}) AS "isHeld"`;

export function findHeldUpload<Published>(queryable: Queryable, accountId: string, id: string) {
  return firstRow<HeldUpload<Published>>(
    queryable,
    slowStatement(`SELECT ${COLUMNS}, files FROM held_uploads WHERE id = $1 AND account_id = $3`, [
      id,
      uploadPrefix(id),
      accountId,
    ]),
  );
}

export function findHeldPlace(queryable: Queryable, accountId: string, id: string) {
  return firstRow<Pick<HeldUploadRow, 'domainId' | 'sitemapName'>>(
    queryable,
    `SELECT domain_id AS "domainId", sitemap_name AS "sitemapName" FROM held_uploads WHERE id = $1 AND account_id = $2`,
    [id, accountId],
  );
}

/** Excludes other publishers of the upload until the transaction ends. */
export function lockHeldUpload<Published>(transaction: Transaction, id: string) {
  return firstRow<Omit<HeldUpload<Published>, 'files'>>(
    transaction,
    slowStatement(`SELECT ${COLUMNS} FROM held_uploads WHERE id = $1 FOR UPDATE`, [id, uploadPrefix(id)]),
  );
}

export async function markPublished(transaction: Transaction, id: string, published: unknown): Promise<void> {
  await transaction.query('UPDATE held_uploads SET published = $2, files = NULL WHERE id = $1', [
    id,
    JSON.stringify(published),
  ]);
}

/** Lets the files of a held upload be collected now, and says in its attempt that it was discarded. */
export async function endHold(transaction: Transaction, id: string): Promise<void> {
  await transaction.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [uploadPrefix(id)]);
  await transaction.query(
    `UPDATE attempts SET outcome = 'abandoned', code = NULL, message = 'It was held, and then discarded.'
      WHERE id = $1 AND outcome = 'held'`,
    [id],
  );
}

/**
 * Says in the attempts of held uploads that their hold has ended. Deletes the rows a day after their files. Until then, a late request to
 * publish is refused with the reason. The row of a published upload stays as long as its upload session (`sessions/end-sessions.ts`),
 * because the session reads the outcome of its commit there.
 */
export async function expireHeldUploads(queryable: Queryable): Promise<void> {
  await queryable.query(
    slowStatement(
      `UPDATE attempts SET outcome = 'abandoned', code = NULL, message = 'It was held, and not published in time.'
        WHERE outcome = 'held' AND id IN (
          SELECT h.id FROM held_uploads h
           WHERE h.published IS NULL
             AND NOT EXISTS (SELECT FROM garbage WHERE prefix = $1 || h.id || '/' AND collect_after > now() + ${HOLD_MARGIN}))`,
      [UPLOADS_PREFIX],
    ),
  );
  await queryable.query(
    slowStatement(
      `DELETE FROM held_uploads
        WHERE held_at < now() - interval '2 days' AND (published IS NULL OR held_at < now() - interval '15 days')`,
      [],
    ),
  );
}
