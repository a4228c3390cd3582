/**
 * Makes one request to an external host, and receives the answer. The exchange always ends, with an answer or with an error, at the latest
 * when `signal` aborts. The connection ends with the exchange.
 */
import type { LookupAddress } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Turns } from '../concurrency/turns.ts';
import { BoundedBody, boundHead, CostlyAnswer } from './bounded-answer.ts';
import { CONNECT_MS } from './connect-ms.ts';
import { OutboundError } from './outbound-error.ts';
import type { IsAllowedAddress } from './public-address.ts';

export interface Exchange {
  readonly url: HttpUrl;
  readonly body: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The most bytes of the body that are kept. With 0, the exchange ends at the head of the answer, and does not wait for the body. */
  readonly maxBodyBytes: number;
  /** Resolves the host. It must return only addresses to which this request may connect. */
  readonly lookup: LookupFunction;
  /** The places for bodies of more than SMALL_BYTES. */
  readonly room: Turns;
  readonly signal: AbortSignal;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The beginning of the body, at most `maxBodyBytes`. */
  readonly body: Buffer;
  /** Whether `body` is the whole body. */
  readonly isWhole: boolean;
}

export type HttpUrl = URL & { readonly protocol: 'http:' | 'https:' };

/** The most bytes of a body that needs no place. Nearly every body is smaller. */
const SMALL_BYTES = 16 * 1024;

/** The agents. They open a connection for each request, so no connection stays open between requests. */
const CONNECTIONS = { keepAlive: false, autoSelectFamilyAttemptTimeout: CONNECT_MS };
const AGENTS = { 'http:': new http.Agent(CONNECTIONS), 'https:': new https.Agent(CONNECTIONS) };

export function exchange(asked: Exchange): Promise<ExchangeAnswer> {
  const answer = Promise.withResolvers<ExchangeAnswer>();
  const asking = beginRequest(asked);
  asking.on('error', (error) => answer.reject(refusalOf(error)));
  // A request may close without an error, for example after 101 Switching Protocols.
  asking.on('close', () => answer.reject(new OutboundError('unreachable', 'the connection ended early')));
  asking.on('response', (response) => receive(asking, response, asked, answer));
  asking.end(asked.body);
  return answer.promise;
}

/** Prepares a request, and bounds the head of its answer. The caller calls `end` of the request, which sends it. */
export function beginRequest({
  url,
  body,
  headers,
  lookup,
  signal,
}: Omit<Exchange, 'maxBodyBytes' | 'room'>): ClientRequest {
  // Do not use fetch: it ignores `lookup`, and with it the filter of addresses.
  const { request } = url.protocol === 'https:' ? https : http;
  const asking = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: AGENTS[url.protocol],
    headers: {
      // A compressed answer could inflate beyond every bound.
      'Accept-Encoding': 'identity',
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
    lookup,
    signal,
  });
  boundHead(asking);
  return asking;
}

/**
 * Receives an answer, and settles its promise. Do not return a promise instead: if the request closes in the same turn, the answer's
 * promise is rejected before another promise settles.
 */
function receive(
  asking: ClientRequest,
  response: IncomingMessage,
  { maxBodyBytes, room, url }: Exchange,
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
  const takeRoom = onceLarge(asking, response, room, url.host);
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
  // Wait for the next turn. By then a short answer has arrived whole, so its sender sees an orderly end.
  setImmediate(() => asking.destroy());
}

/**
 * Returns a function to call with the number of kept bytes. It makes a large body wait for a place, so that all large bodies together take
 * bounded memory. The body keeps its place until its connection ends.
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

type Refuse = (hostname: string) => OutboundError;

/**
 * Throws OutboundError if the host of a URL is a literal address that is not allowed. A socket does not look up a literal address, so
 * `lookup` cannot check it.
 */
export function refusePrivateLiteral(
  { hostname }: URL,
  isAllowed: IsAllowedAddress,
  refuse: Refuse = notPublic,
): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isAllowed(address)) throw refuse(hostname);
}

/**
 * Returns a look-up that refuses addresses that are not allowed. The socket connects to the addresses that were checked, so a name cannot
 * change its address between check and connection.
 */
export function onlyAllowed(
  lookup: LookupFunction,
  isAllowed: IsAllowedAddress,
  refuse: Refuse = notPublic,
): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = found as LookupAddress[];
      const [first] = addresses;
      // The socket may try each address, so all must be allowed.
      if (first === undefined || addresses.some(({ address }) => !isAllowed(address))) {
        return callback(refuse(hostname), '');
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

function notPublic(hostname: string): OutboundError {
  return new OutboundError('blocked', `${hostname} has an address that is not public`);
}
