/** Sends answers of any length at the pace of their clients. */
import { once } from 'node:events';
import type { Response } from 'express';
import { Shares } from '../platform/concurrency/shares.ts';
import { Refusal } from '../platform/refusal.ts';

export const LINES_TYPE = 'application/x-ndjson';
/** Each holds some megabytes. */
const LISTS_AT_ONCE = { inAll: 32, perOwner: 4 };
const RETRY_AFTER_SECONDS = 5;

/** How long the client may take nothing. */
const STALL_MS = 30_000;

/**
 * Ends early, without an error, if the client goes away or stalls. If `pieces` fail before the first one, nothing is sent;
 * later, the caller must cut the connection. Throws Refusal when the account reads too many lists.
 */
export type SendLines = (
  accountId: string,
  response: Response,
  pieces: AsyncGenerator<Buffer, void, undefined>,
) => Promise<void>;

export function createSendLines(): SendLines {
  const lists = new Shares(LISTS_AT_ONCE);
  return async (accountId, response, pieces) => {
    const giveBack = lists.take(accountId);
    if (giveBack === undefined) throw tooManyLists();
    try {
      await send(response, pieces);
    } finally {
      giveBack();
    }
  };
}

async function send(response: Response, pieces: AsyncGenerator<Buffer, void, undefined>): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const begin = () => {
    response.locals.answeredAt = performance.now();
    response.status(200).set('Content-Type', LINES_TYPE);
    response.setTimeout(STALL_MS, () => response.destroy());
  };
  // The client gets a length only of what is known.
  let hasBegun = false;
  for await (const piece of response.req.method === 'HEAD' ? [] : pieces) {
    if (!hasBegun) begin();
    hasBegun = true;
    if (response.destroyed) return;
    // `close` may come before the client has taken anything.
    if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal }).catch(() => {});
  }
  if (!hasBegun) begin();
  response.end();
}

function tooManyLists(): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', 'Too many lists are being read. Try again in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
