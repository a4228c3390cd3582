/**
 * Begins writers of sessions. A process that takes many parts of a session begins some writers ahead, so most parts begin without a
 * statement. Writers that no part has used end with their session.
 */
import { LRUCache } from 'lru-cache';
import { mostEntries } from '../../../platform/most-entries.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { beginWriters } from './part-store.ts';

/** The count of numbers that a writer claims first. Most parts have at most this many files. */
export const FIRST_CLAIM = 4;

/**
 * Begins a writer, and returns its number. Undefined if the session takes no files, or has had too many writers. `fence`: the fence of a
 * commit.
 */
export type BeginWriter = (sessionId: string, fence?: number) => Promise<number | undefined>;

/** A statement begins one writer for this many that the session has had in this process, and at least one. */
const HAD_FOR_ONE = 4;
/** The most writers that a statement begins. The collector looks for the files of each writer that was not used. */
const MOST_AHEAD = 8;
const SESSIONS = 1000;

interface Begun {
  had: number;
  readonly ahead: number[];
}

export function createBeginWriter(database: Database): BeginWriter {
  const sessions = new LRUCache<string, Begun>(mostEntries(SESSIONS));
  return async (sessionId, fence) => {
    if (fence !== undefined) return (await beginWriters(database, sessionId, 1, FIRST_CLAIM, fence))[0];
    const begun = sessions.get(sessionId) ?? { had: 0, ahead: [] };
    sessions.set(sessionId, begun);
    begun.had += 1;
    const next = begun.ahead.pop();
    if (next !== undefined) return next;
    const count = Math.min(MOST_AHEAD, Math.max(1, Math.floor(begun.had / HAD_FOR_ONE)));
    const [first, ...ahead] = await beginWriters(database, sessionId, count, FIRST_CLAIM, undefined);
    begun.ahead.push(...ahead);
    return first;
  };
}
