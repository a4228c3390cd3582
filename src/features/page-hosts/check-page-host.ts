/** Checks whether crawlers believe the sitemaps of a domain about the pages of one host. */
import type { Database } from '../../platform/postgres/database.ts';
import type { SiteOrigins } from '../sites/site.ts';
import { judgePageHost } from './judge-page-host.ts';
import { nextCheckInMs } from './next-check.ts';
import type { PageHostState } from './page-host.ts';
import {
  type DuePageHost,
  deleteIfUncounted,
  listSitemapsWith,
  postponeCheck,
  recordCheck,
} from './page-host-store.ts';
import type { ReadRecent } from './recent-readings.ts';

export interface CheckPageHostOptions extends SiteOrigins {
  readonly database: Database;
  readonly readRecent: ReadRecent;
  readonly random: () => number;
  readonly checked?: (state: PageHostState) => void;
}

/** The time by which checks for a suspended account are postponed. When the suspension ends, they are due within this time. */
const SUSPENDED_MS = 3_600_000;

export async function checkPageHost(
  { database, readRecent, random, checked, publicOrigin, secureOrigin }: CheckPageHostOptions,
  due: DuePageHost,
  signal: AbortSignal,
): Promise<void> {
  if (due.isSuspended) return postponeCheck(database, due, SUSPENDED_MS);
  // The customer may have corrected robots.txt just before asking, so an older reading does not count.
  const read = await readRecent(due.origin, due.askedAgoMs ?? Number.POSITIVE_INFINITY, signal);
  // The random part keeps page hosts with the same hostname from being due together again.
  if ('waitMs' in read) return postponeCheck(database, due, read.waitMs + 1000 * random());
  const sitemapNames = await listSitemapsWith(database, due);
  if (sitemapNames.length === 0) return deleteIfUncounted(database, due);
  const { origin, hostname, isSecure } = due;
  const host = { origin, hostname, isSecure, sitemapNames, publicOrigin, secureOrigin };
  const { state, message } = judgePageHost(host, read.reading);
  const stateForMs = state === due.state ? due.stateForMs : 0;
  const nextInMs = nextCheckInMs(state, stateForMs, random());
  await recordCheck(database, due, { state, message, ageMs: read.ageMs, nextInMs });
  checked?.(state);
}
