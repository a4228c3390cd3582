/** Sends answers of any length at the pace of their clients. */
import { once } from 'node:events';
import type { Response } from 'express';
import { goneSignal } from '../../core/web/gone-signal.ts';
import { CSV_TYPE } from '../../platform/csv.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ListReader, ListReaders, type ListReadersOptions } from './list-readers.ts';
import type { Lines } from './operation.ts';

export const LINES_TYPE = 'application/x-ndjson';
/** The most lists that are sent at once. Each list takes some megabytes of memory. */
const LISTS_AT_ONCE = { inAll: 32, perOwner: 4 };
/** A client that reads fewer than some 500 lines a second is slow. */
const SLOW = { minBytesPerSecond: 64 * 1024, windowMs: 5000 };
const RETRY_AFTER_SECONDS = 5;

/** The longest time without progress of the client. */
const STALL_MS = 30_000;

/**
 * Sends `pieces`. Ends early, without an error, if the client leaves or stalls. If the first piece fails, nothing is sent. If a later piece
 * fails, the caller must cut the connection. Throws Refusal if the account, or all accounts together, read too many lists.
 */
export type SendLines = (accountId: string, response: Response, pieces: Lines) => Promise<void>;

/** Creates the sender. `limits` replace those of docs/LIMITS.md in tests. */
export function createSendLines(limits: Partial<ListReadersOptions> = {}): SendLines {
  const readers = new ListReaders({ ...LISTS_AT_ONCE, ...SLOW, ...limits });
  return async (accountId, response, pieces) => {
    const sending = new Sending(response);
    const leave = readers.enter(accountId, sending);
    if (leave === undefined) throw tooManyLists();
    try {
      await sending.send(pieces);
    } finally {
      leave();
      await pieces.return();
    }
  };
}

class Sending implements ListReader {
  readonly #response: Response;
  readonly #gone: AbortSignal;
  #written = 0;
  #isWaiting = false;

  constructor(response: Response) {
    this.#response = response;
    this.#gone = goneSignal(response);
  }

  taken(): number {
    return this.#written - this.#response.writableLength;
  }

  isWaiting(): boolean {
    return this.#isWaiting;
  }

  cut(): void {
    this.#response.destroy();
  }

  /** Sends all pieces. The place is free when the last piece is written, even if the client still reads. */
  async send(pieces: Lines): Promise<void> {
    const response = this.#response;
    let next = response.req.method === 'HEAD' ? undefined : await pieces.next();
    this.#begin(pieces.csvName);
    while (next !== undefined && !next.done) {
      const hasRoom = response.write(next.value);
      this.#written += next.value.length;
      next = await pieces.next();
      if (response.destroyed) return;
      if (!hasRoom && !next.done) await this.#drained();
    }
    response.end();
  }

  #begin(csvName: string | undefined): void {
    this.#response.locals.answeredAt = performance.now();
    // `attachment` sets a type by the name of the file, so set our type after it.
    if (csvName !== undefined) this.#response.attachment(csvName);
    this.#response.status(200).set('Content-Type', csvName === undefined ? LINES_TYPE : CSV_TYPE);
    this.#response.setTimeout(STALL_MS, () => this.#response.destroy());
  }

  async #drained(): Promise<void> {
    const response = this.#response;
    if (!response.writableNeedDrain) return;
    this.#isWaiting = true;
    await once(response, 'drain', { signal: this.#gone }).catch(() => {});
    this.#isWaiting = false;
  }
}

function tooManyLists(): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', 'Too many lists are being read. Try again in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
