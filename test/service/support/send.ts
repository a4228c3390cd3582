/** One HTTP exchange, byte for byte: no decoding, no redirects, no retries. */
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Body = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Exchange {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** A stream is sent in chunks, without a length. */
  readonly body?: Body | undefined;
  /** For https it has the trusted authority and the name for the handshake. */
  readonly agent?: Agent;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the connection had been used before. */
  readonly reusedSocket: boolean;
  /** Whether 100 Continue came first. */
  readonly wasContinued: boolean;
}

/**
 * Resolves with the answer, even if it comes before the whole body is sent; the rest of the body is then dropped. An
 * error has `reusedSocket`: whether its connection had been used before.
 */
export async function send(url: string, { method = 'GET', headers = {}, body, agent }: Exchange = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const begin = url.startsWith('https:') ? requestSecurely : request;
  const outgoing = begin(url, { method, headers, ...(agent && { agent }) });
  let wasContinued = false;
  outgoing.on('continue', () => {
    wasContinued = true;
  });
  outgoing.on('error', (error) => reject(Object.assign(error, { reusedSocket: outgoing.reusedSocket })));
  outgoing.on('response', (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('error', reject);
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({
        status,
        headers,
        body: Buffer.concat(parts),
        reusedSocket: outgoing.reusedSocket,
        wasContinued,
      });
      if (!outgoing.writableEnded) outgoing.destroy();
    });
  });
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body);
  // After an early answer, the rest of the body does not matter.
  else pipeline(Readable.from(body, { objectMode: true }), outgoing).catch(reject);
  return promise;
}
