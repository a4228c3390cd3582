/** The SQL that makes batches of changed URLs, and adds their hosts. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { MAX_BATCHES_OF_UPLOAD, MAX_HOSTS } from './limits.ts';
import type { Comparison } from './open-outbox.ts';
import { newHostKey, type PageHost } from './page-host.ts';

/** A paused host that gets batches is looked at this often, because too many batches may wait. */
const EXPIRE_EVERY = `interval '1 hour'`;

export interface NewBatch extends PageHost {
  readonly object: string;
  readonly urlCount: number;
}

/** Returns the hosts that have a key; undefined if the domain does not submit. */
export async function findOutboxHosts(
  queryable: Queryable,
  domainId: string,
): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await queryable.query<{ hosts: string[] }>(
    `SELECT ARRAY(SELECT host FROM indexnow_hosts WHERE domain_id = d.id) AS hosts
       FROM domains d WHERE id = $1 AND index_now`,
    [domainId],
  );
  return rows[0] && new Set(rows[0].hosts);
}

/**
 * Makes batches of stored URLs. `left`: the number of URLs that had no room before. Returns false, and changes nothing, if the domain does
 * not submit any more.
 */
export async function commitBatches(
  transaction: Transaction,
  comparison: Comparison,
  batches: readonly NewBatch[],
  left: number,
): Promise<boolean> {
  const { domainId, uploadId, sitemapName } = comparison;
  const hosts = await addHosts(transaction, domainId, hostsOf(batches));
  if (hosts === undefined) return false;
  const taken = batches.filter(({ host }) => hosts.has(host));
  const refused = batches.filter(({ host }) => !hosts.has(host));
  await addGarbage(
    transaction,
    refused.map(({ object }) => object),
    0,
  );
  const urlCount = left + refused.reduce((sum, batch) => sum + batch.urlCount, 0);
  if (urlCount > 0) await reportLeft(transaction, comparison, urlCount);
  if (taken.length === 0) return true;
  await transaction.query(
    slowStatement(
      `WITH submission AS (
         INSERT INTO indexnow_submissions (domain_id, upload_id, sitemap_name, batches_left, urls_failed)
         VALUES ($1, $2, $3, cardinality($4::text[]), $7) RETURNING id
       )
       INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count)
       SELECT submission.id, $1, b.host, b.object, 0, b.url_count
         FROM submission, unnest($4::text[], $5::text[], $6::int[]) AS b (host, object, url_count)`,
      [
        ...[domainId, uploadId, shownSitemapName(sitemapName)],
        ...[taken.map(({ host }) => host), taken.map(({ object }) => object)],
        ...[taken.map((batch) => batch.urlCount), urlCount],
      ],
    ),
  );
  return true;
}

/** Returns the hosts of the batches, each once. A host has https if one of its URLs has https. */
function hostsOf(batches: readonly NewBatch[]): PageHost[] {
  const schemes = new Map<string, PageHost['scheme']>();
  for (const { host, scheme } of batches) {
    if (scheme === 'https' || !schemes.has(host)) schemes.set(host, scheme);
  }
  return [...schemes].map(([host, scheme]) => ({ host, scheme }));
}

async function reportLeft(
  transaction: Transaction,
  { accountId, domainId, hostname }: Comparison,
  urlCount: number,
): Promise<void> {
  const message = `A domain submits URLs of at most ${MAX_HOSTS} hosts, and at most ${MAX_BATCHES_OF_UPLOAD} batches of a host. The rest of this upload is not submitted.`;
  await emitEvent(transaction, accountId, 'indexnow.failed', {
    ...{ domainId, domain: hostname, host: null, urlCount, message },
  });
}

/**
 * Adds the wanted hosts that have no row yet, as long as there is room, and makes all wanted hosts due. Unused hosts are deleted to make
 * room. Returns the wanted hosts that have a row now; undefined if the domain does not submit.
 */
export async function addHosts(
  transaction: Transaction,
  domainId: string,
  wanted: readonly PageHost[],
): Promise<ReadonlySet<string> | undefined> {
  // Concurrent transactions that add hosts to the domain wait, so each sees the hosts that were added before.
  await transaction.query(
    slowStatement(`SELECT pg_advisory_xact_lock(hashtextextended('indexnow hosts ' || $1, 0))`, [domainId]),
  );
  const known = await findOutboxHosts(transaction, domainId);
  if (known === undefined) return undefined;
  const strangers = wanted.filter(({ host }) => !known.has(host));
  const excess = known.size + strangers.length - MAX_HOSTS;
  const freed = excess > 0 ? await forgetUnusedHosts(transaction, domainId, wanted, excess) : 0;
  const admitted = strangers.slice(0, Math.max(0, MAX_HOSTS - known.size + freed));
  const hosts = [...wanted.filter(({ host }) => known.has(host)), ...admitted];
  const { rows } = await transaction.query<{ host: string }>(
    // The statement locks the rows of the hosts until the new batches are committed, so workers cannot miss these batches.
    `INSERT INTO indexnow_hosts AS h (domain_id, host, account_id, scheme, key)
     SELECT d.id, w.host, d.account_id, w.scheme, w.key
       FROM domains d, unnest($2::text[], $3::text[], $4::text[]) AS w (host, scheme, key)
      WHERE d.id = $1 ORDER BY w.host
     ON CONFLICT (domain_id, host) DO UPDATE
        SET due_at = least(coalesce(h.due_at, now()), now() + ${EXPIRE_EVERY}),
            verified_at = CASE WHEN h.scheme < excluded.scheme THEN NULL ELSE h.verified_at END,
            scheme = greatest(h.scheme, excluded.scheme)
     RETURNING host`,
    [domainId, hosts.map(({ host }) => host), hosts.map(({ scheme }) => scheme), hosts.map(newHostKey)],
  );
  return new Set(rows.map(({ host }) => host));
}

/**
 * Deletes at most `limit` hosts that are not verified, had no submission and have no waiting batches, and are not wanted. Returns their
 * number.
 */
async function forgetUnusedHosts(
  transaction: Transaction,
  domainId: string,
  wanted: readonly PageHost[],
  limit: number,
): Promise<number> {
  const { rowCount } = await transaction.query(
    `DELETE FROM indexnow_hosts WHERE domain_id = $1 AND host IN (
       SELECT host FROM indexnow_hosts h
        WHERE domain_id = $1 AND verified_at IS NULL AND last_submitted_at IS NULL AND host <> ALL($2)
          AND NOT EXISTS (SELECT FROM indexnow_batches b WHERE b.domain_id = h.domain_id AND b.host = h.host)
        ORDER BY host LIMIT $3 FOR UPDATE)`,
    [domainId, wanted.map(({ host }) => host), limit],
  );
  return rowCount ?? 0;
}
