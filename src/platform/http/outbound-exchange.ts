/**
 * One request to someone else's host, and its answer. It ends in every case: with an answer, or with an error, when
 * `signal` aborts at the latest. Its connection ends with it.
 */
import type { LookupAddress } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Turns } from '../concurrency/turns.ts';
import { BoundedBody, boundHead, CostlyAnswer } from './bounded-answer.ts';
import { OutboundError } from './outbound-error.ts';
import type { IsAllowedAddress } from './public-address.ts';

export interface Exchange {
  readonly url: HttpUrl;
  readonly body: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** 0: the status is enough, and nobody waits for the body. */
  readonly maxBodyBytes: number;
  /** `isAllowedAddress` holds for every address that it returns. */
  readonly lookup: LookupFunction;
  /** For bodies beyond SMALL_BYTES. */
  readonly room: Turns;
  readonly signal: AbortSignal;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Its beginning, of at most `maxBodyBytes`. */
  readonly body: Buffer;
  /** Whether `body` is everything. */
  readonly isWhole: boolean;
}

export type HttpUrl = URL & { readonly protocol: 'http:' | 'https:' };

/** More than nearly every answer that we ask for. */
const SMALL_BYTES = 16 * 1024;

/** No connection is used twice, so none is open while nobody asks. */
const AGENTS = {
  'http:': new http.Agent({ keepAlive: false }),
  'https:': new https.Agent({ keepAlive: false }),
};

export function exchange({
  url,
  body,
  headers,
  maxBodyBytes,
  lookup,
  room,
  signal,
}: Exchange): Promise<ExchangeAnswer> {
  // Not fetch: it ignores `lookup`, and with it the filter.
  const { request } = url.protocol === 'https:' ? https : http;
  const answer = Promise.withResolvers<ExchangeAnswer>();
  const asking = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: AGENTS[url.protocol],
    headers: {
      // An inflated answer would not be bounded.
      'Accept-Encoding': 'identity',
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
    lookup,
    signal,
  });
  boundHead(asking);
  asking.on('error', (error) => answer.reject(refusalOf(error)));
  // Also without an error, as after 101 Switching Protocols.
  asking.on('close', () => answer.reject(new OutboundError('unreachable', 'the connection ended early')));
  asking.on('response', (response) =>
    receive(asking, response, { maxBodyBytes, room, host: url.host }, answer),
  );
  asking.end(body);
  return answer.promise;
}

/** Settles `answer` itself: a promise in between would come after the `close` of the same turn. */
function receive(
  asking: ClientRequest,
  response: IncomingMessage,
  { maxBodyBytes, room, host }: { maxBodyBytes: number; room: Turns; host: string },
  { resolve, reject }: PromiseWithResolvers<ExchangeAnswer>,
): void {
  const { statusCode: status = 0, headers } = response;
  response.on('error', reject);
  if (status < 200 || status > 599) {
    reject(new OutboundError('unreachable', `the status ${status} is none of HTTP`));
    asking.destroy();
    return;
  }
  const kept = new BoundedBody(maxBodyBytes);
  const receivedBefore = response.socket.bytesRead;
  const takeRoom = onceLarge(asking, response, room, host);
  const finish = (isWhole: boolean) => resolve({ status, headers, body: kept.bytes, isWhole });
  response.on('data', (chunk: Buffer) => {
    try {
      if (kept.add(chunk, response.socket.bytesRead - receivedBefore)) return takeRoom(kept.length);
      finish(false);
    } catch (error) {
      reject(refusalOf(error));
    }
    asking.destroy();
  });
  response.on('end', () => finish(true));
  if (maxBodyBytes > 0) return;
  finish(false);
  // A short answer has come whole by then, and its sender sees an orderly end.
  setImmediate(() => asking.destroy());
}

/**
 * A body that turns out large waits for its turn, so that all of them together take a bounded memory. It keeps its place until
 * its connection ends.
 */
function onceLarge(asking: ClientRequest, response: IncomingMessage, room: Turns, host: string) {
  let isLarge = false;
  return (bytes: number): void => {
    if (isLarge || bytes <= SMALL_BYTES) return;
    isLarge = true;
    response.pause();
    const ended = new Promise<void>((resolve) => asking.once('close', resolve));
    void room.run(host, () => {
      response.resume();
      return ended;
    });
  };
}

function refusalOf(error: unknown): unknown {
  return error instanceof CostlyAnswer ? new OutboundError('unreachable', error.message) : error;
}

/** Sockets do not look up literal addresses, so this checks them. Throws OutboundError. */
export function refusePrivateLiteral({ hostname }: URL, isAllowed: IsAllowedAddress): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isAllowed(address)) throw notPublic(hostname);
}

/** One look-up for the check and the connection: a name that changes its address in between gains nothing. */
export function onlyAllowed(lookup: LookupFunction, isAllowed: IsAllowedAddress): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = found as LookupAddress[];
      const [first] = addresses;
      // All of them: the socket tries one after the other.
      if (first === undefined || addresses.some(({ address }) => !isAllowed(address))) {
        return callback(notPublic(hostname), '');
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

function notPublic(hostname: string): OutboundError {
  return new OutboundError('blocked', `${hostname} has an address that is not public`);
}
