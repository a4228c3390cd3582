/** All causes of needs except the limits of the plan (`plan-needs.ts`), and the order of urgency. */
import type { Cause } from './cause.ts';
import { certificate } from './causes/certificate.ts';
import { dns } from './causes/dns.ts';
import { heldUpload } from './causes/held-upload.ts';
import { hostnameTaken } from './causes/hostname-taken.ts';
import { robots } from './causes/robots.ts';
import { scheduleFailing } from './causes/schedule-failing.ts';
import { sitemapStale } from './causes/sitemap-stale.ts';
import { uploadsRefused } from './causes/uploads-refused.ts';

export const CAUSES: readonly Cause<never>[] = [
  heldUpload,
  robots,
  dns,
  hostnameTaken,
  certificate,
  uploadsRefused,
  sitemapStale,
  scheduleFailing,
];

/** The distance between two classes of urgency. No Unix time in seconds is as large. */
const CLASS = 100_000_000_000;
/** The urgency of a row without a need. Such a row comes after all rows with a need. */
export const NO_URGENCY = 3 * CLASS;

/**
 * A SELECT of the needs of account `$1` with their `urgency`. The lowest `urgency` is the most urgent: first needs with a deadline within
 * 14 days, sorted by deadline, then bad needs, then waiting needs. Among bad needs and among waiting needs, the newest comes first.
 */
export const FOUND_CAUSES = foundCausesOf('$1');

/** Returns the SELECT of `FOUND_CAUSES` for any account. `account`: an expression in SQL. */
export function foundCausesOf(account: string): string {
  return `
  SELECT n.*, CASE WHEN n.deadline < now() + interval '14 days' THEN extract(epoch FROM n.deadline)::bigint
                   WHEN n.is_bad THEN ${2 * CLASS} - coalesce(extract(epoch FROM n.since)::bigint, 0)
                   ELSE ${3 * CLASS} - coalesce(extract(epoch FROM n.since)::bigint, 0) END AS urgency
    FROM (${CAUSES.map(({ find }) => `(${find.replaceAll('$1', account)})`).join('\n  UNION ALL ')}) AS n`;
}
