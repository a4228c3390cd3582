/** Enqueues the job that brings the certificate of a domain one step further. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { enqueueJob, LATER } from './job-store.ts';

/**
 * The most domains whose jobs are enqueued here. If there are more domains, the sweep enqueues their jobs within a minute, except for
 * domains without an authority.
 */
const MOST_AT_ONCE = 10;

/** Enqueues the work on the certificates of domains that were just verified, unless there are more than MOST_AT_ONCE. */
export async function enqueueFirstIssuances(
  queryable: Queryable,
  domainIds: readonly string[],
): Promise<void> {
  if (domainIds.length > MOST_AT_ONCE) return;
  const priority = domainIds.length > 1 ? LATER : 0;
  await queryable.query(
    `SELECT graphile_worker.add_job('certificate.issue', json_build_object('domainId', id), job_key => 'certificate.issue ' || id,
                                    priority => $2) FROM unnest($1::text[]) AS verified (id)`,
    [domainIds, priority],
  );
}

/** Enqueues the work on a certificate, in place of a waiting job for the same domain. `isFirst`: the job runs after all other due jobs. */
export function enqueueIssuance(
  queryable: Queryable,
  domainId: string,
  { delayMs = 0, isFirst = false } = {},
): Promise<void> {
  const key = `certificate.issue ${domainId}`;
  const priority = isFirst ? LATER : 0;
  return enqueueJob(queryable, 'certificate.issue', { domainId }, { key, delayMs, priority });
}
