/** The job that brings the certificate of a domain one step further. */
import type { Queryable } from '../platform/postgres/database.ts';
import { enqueueJob } from './job-store.ts';

/** Replaces a waiting job for the same domain. */
export function enqueueIssuance(queryable: Queryable, domainId: string, delayMs = 0): Promise<void> {
  const key = `certificate.issue ${domainId}`;
  return enqueueJob(queryable, 'certificate.issue', { domainId }, { key, delayMs });
}
