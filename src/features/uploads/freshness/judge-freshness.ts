/**
 * The job that turns sitemaps stale when their upload is late, and fresh after an upload. A portion is one transaction with its events,
 * so each event is sent once.
 */
import { recordLook } from '../../../core/jobs/record-look.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { clampFreshUntil, endStale, openStale } from './freshness-store.ts';

const PORTION = 100;

export async function judgeFreshness(database: Database): Promise<void> {
  const isSettled = await recordLook(database, 'freshness');
  if (!isSettled) while ((await clampFreshUntil(database, PORTION)) === PORTION);
  while ((await endStale(database, PORTION)) === PORTION);
  if (!isSettled) return;
  while ((await openStale(database, PORTION)) === PORTION);
}
