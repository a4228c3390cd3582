/**
 * Numbers for the files of one writer of a session. No other writer has these numbers. A number is claimed before its object is stored, so
 * `endWriters` knows each object that a dead writer may have left.
 */
import { LRUCache } from 'lru-cache';
import { mostEntries } from '../../../platform/most-entries.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { PartialStaging } from '../open-staging.ts';
import { beginWriters, claimNumbers, endWriter, NUMBERS_OF_WRITER } from './part-store.ts';
import { noSuchSession, notOpen, type UploadSession } from './session.ts';
import { findSession } from './session-store.ts';

/** How many numbers of files a writer claims first. Most parts have at most this many files. */
const FIRST_CLAIM = 4;
const MOST_TRIES = 3;

export class SessionWriter implements PartialStaging {
  readonly #database: Database;
  readonly #session: Pick<UploadSession, 'id' | 'accountId'>;
  readonly #begin: BeginWriter;
  readonly #fence: number | undefined;
  #n: number | undefined;
  #used = 0;
  #claimed = FIRST_CLAIM;

  /** `fence`: the fence of a commit that writes. Absent for a part. */
  constructor(
    database: Database,
    session: Pick<UploadSession, 'id' | 'accountId'>,
    begin: BeginWriter,
    fence?: number,
  ) {
    this.#database = database;
    this.#session = session;
    this.#begin = begin;
    this.#fence = fence;
  }

  /** The number of the writer in the session. Undefined if it has written nothing. */
  get n(): number | undefined {
    return this.#n;
  }

  /** Returns the number of the next file. Throws Refusal if the session is not open any more. */
  readonly nextNumber = async (): Promise<number> => {
    const { id } = this.#session;
    if (this.#n === undefined) {
      this.#n = await this.#whileOpen(() => this.#begin(id, this.#fence));
    } else if (this.#used === this.#claimed) {
      // Each claim is twice as large as the last one.
      const claimed = Math.min(2 * this.#claimed, NUMBERS_OF_WRITER);
      const writer = { sessionId: id, n: this.#n };
      await this.#whileOpen(
        async () => (await claimNumbers(this.#database, writer, claimed, this.#fence)) || undefined,
      );
      this.#claimed = claimed;
    }
    if (this.#used === NUMBERS_OF_WRITER) throw new Error('a writer has too many files');
    this.#used += 1;
    return (this.#n - 1) * NUMBERS_OF_WRITER + this.#used;
  };

  readonly discarded = async (): Promise<void> => {
    if (this.#n !== undefined) await endWriter(this.#database, this.#session.id, this.#n);
  };

  /** Returns what `take` returns. If `take` gets nothing although the session is open, tries again. Throws Refusal. */
  async #whileOpen<Taken>(take: () => Promise<Taken | undefined>): Promise<Taken> {
    const { id, accountId } = this.#session;
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const taken = await take();
      if (taken !== undefined) return taken;
      const session = await findSession(this.#database, accountId, id);
      if (session === undefined) throw noSuchSession();
      // A commit that was under way may have ended since, and may have published nothing.
      if (session.status !== 'open') throw notOpen(session.status);
    }
    throw new Error(
      `upload session ${id} takes no files: it has had too many writers, or a commit has been overtaken`,
    );
  }
}

/**
 * Begins a writer, and returns its number. Returns undefined if the session takes no files, or has had too many writers. `fence`: the fence
 * of a commit that writes. Absent for a part.
 */
export type BeginWriter = (sessionId: string, fence?: number) => Promise<number | undefined>;

/** A statement begins one writer for every four that the session has had in this process, and at least one. */
const HAD_FOR_ONE = 4;
/** The most writers that a statement begins. At the end of the session, the collector looks for the files of each unused writer. */
const MOST_AHEAD = 8;
const SESSIONS = 1000;

/**
 * Most parts begin without a statement, because a statement also begins some writers ahead for the session. Writers that no part has used
 * end with their session.
 */
export function createBeginWriter(database: Database): BeginWriter {
  const sessions = new LRUCache<string, { had: number; readonly ahead: number[] }>(mostEntries(SESSIONS));
  return async (sessionId, fence) => {
    if (fence !== undefined) return (await beginWriters(database, sessionId, 1, FIRST_CLAIM, fence))[0];
    const begun = sessions.get(sessionId) ?? { had: 0, ahead: [] };
    sessions.set(sessionId, begun);
    begun.had += 1;
    const next = begun.ahead.pop();
    if (next !== undefined) return next;
    const count = Math.min(MOST_AHEAD, Math.max(1, Math.floor(begun.had / HAD_FOR_ONE)));
    const [first, ...ahead] = await beginWriters(database, sessionId, count, FIRST_CLAIM);
    begun.ahead.push(...ahead);
    return first;
  };
}
