/** Sends an answer of any length at the pace of its client. */
import { once } from 'node:events';
import type { Response } from 'express';

/** How long the client may take nothing. */
const STALL_MS = 30_000;

/**
 * Ends early, without an error, if the client goes away or stalls. If `pieces` fail before the first one, nothing is sent;
 * later, the caller must cut the connection.
 */
export async function sendLines(
  response: Response,
  contentType: string,
  pieces: AsyncGenerator<Buffer, void, undefined>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const begin = () => {
    response.locals.answeredAt = performance.now();
    response.status(200).set('Content-Type', contentType);
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
