/** The job that turns sitemaps stale whose upload is late, and fresh again. A portion is a transaction, so that each is told once. */
import type { Database } from '../../../platform/postgres/database.ts';
import { endStale, forgetFuture, openStale, recordLook } from './freshness-store.ts';

const PORTION = 100;

export async function judgeFreshness(database: Database): Promise<void> {
  const { isSettled, isFirst } = await recordLook(database);
  if (isFirst) await forgetFuture(database);
  while ((await endStale(database, PORTION)) === PORTION);
  if (!isSettled) return;
  while ((await openStale(database, PORTION)) === PORTION);
}
