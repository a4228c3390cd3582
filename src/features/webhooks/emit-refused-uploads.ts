/**
 * Tells the webhooks of an account that an upload was refused. A refusal changes nothing, so it has no transaction to join: the event is
 * written beside the answer, and is lost if the process dies first. A producer that is broken is refused all the time, so an account gets
 * few of these events a minute from each process.
 */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../platform/log.ts';
import { mostEntries } from '../../platform/most-entries.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Refusal } from '../../platform/refusal.ts';
import { sayRarely } from '../../platform/say-rarely.ts';
import { emitEvent } from './emit-event.ts';
import type { EventData } from './events.ts';

export interface RefusedUploadsOptions {
  readonly database: Queryable;
  /** The work that goes on after answers. Work that has ended is removed. */
  readonly underWay: Set<Promise<unknown>>;
  readonly log: Log;
}

type RefusedUpload = Omit<EventData['upload.refused'], 'code' | 'message' | 'details'>;
export type EmitRefusedUpload = (accountId: string, upload: RefusedUpload, refusal: Refusal) => void;

const PER_MINUTE = 5;
const MINUTE_MS = 60_000;
/** The most accounts whose events are counted, with about 100 bytes each. */
const MAX_REMEMBERED = 10_000;
/** The most bytes of an event's violations. An event has at most 20 kB (`emit-event.ts`); the rest of it, and each violation, has some 3 kB. */
const MAX_VIOLATIONS_LENGTH = 12_000;

export function createEmitRefusedUploads({
  database,
  underWay,
  log,
}: RefusedUploadsOptions): EmitRefusedUpload {
  const emitted = new LRUCache<string, { count: number }>({ ...mostEntries(MAX_REMEMBERED), ttl: MINUTE_MS });
  const complain = sayRarely<unknown>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'an event could not be written'),
  );
  return (accountId, upload, { code, message, options: { details } }) => {
    // The minute begins with the account's first refusal.
    const minute = emitted.get(accountId) ?? { count: 0 };
    if (minute.count === 0) emitted.set(accountId, minute);
    if (minute.count >= PER_MINUTE) return;
    minute.count += 1;
    const event = { ...upload, code, message, details: details === undefined ? null : shortDetails(details) };
    const work = emitEvent(database, accountId, 'upload.refused', event).catch(complain);
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };
}

/** Returns the details with only the first violations. `errorCount` still counts all of them. */
export function shortDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { errors } = details;
  if (!Array.isArray(errors)) return details;
  let length = 0;
  const kept = errors.filter((violation) => {
    length += Buffer.byteLength(JSON.stringify(violation));
    return length <= MAX_VIOLATIONS_LENGTH;
  });
  return { ...details, errors: kept };
}
