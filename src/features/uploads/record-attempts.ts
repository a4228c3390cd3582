/**
 * Records the attempts that no publication records: refused, failed and abandoned ones, and dry runs. A broken producer is refused all the
 * time, so each process records only a limited number of attempts of an account in a minute. All attempts are counted in the metrics and
 * logged.
 */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../platform/log.ts';
import { mostEntries } from '../../platform/most-entries.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sayRarely } from '../../platform/say-rarely.ts';
import type { EndedAttempt } from './attempt.ts';
import { insertAttempt } from './attempt-store.ts';

export interface RecordAttemptsOptions {
  readonly database: Queryable;
  /** Work that may continue after the answer. */
  readonly underWay: Set<Promise<unknown>>;
  readonly log: Log;
}

/** Resolves when the attempt is recorded, or when it is certain that the attempt will not be recorded. */
export type RecordAttempt = (accountId: string, attempt: EndedAttempt) => Promise<void>;

const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** The most accounts whose attempts are counted. Each account takes about 100 bytes. */
const MAX_REMEMBERED = 10_000;

export function createRecordAttempts({ database, underWay, log }: RecordAttemptsOptions): RecordAttempt {
  const recorded = new LRUCache<string, { count: number }>({
    ...mostEntries(MAX_REMEMBERED),
    ttl: MINUTE_MS,
  });
  const complain = sayRarely<unknown>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'an attempt to upload could not be recorded'),
  );
  return async (accountId, attempt) => {
    // The minute begins with the first attempt.
    const minute = recorded.get(accountId) ?? { count: 0 };
    if (minute.count === 0) recorded.set(accountId, minute);
    if (minute.count >= PER_MINUTE) return;
    minute.count += 1;
    const work = insertAttempt(database, attempt).catch(complain);
    underWay.add(work);
    await work.finally(() => underWay.delete(work));
  };
}
