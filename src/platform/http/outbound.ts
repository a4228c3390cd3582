/**
 * Sends requests to external hosts: webhooks, URL submission, key files, robots.txt, pings, sign-in. `read-outside.ts` reads long answers
 * by the same rules. A customer's address could make us ask our own network (SSRF), so we refuse an address that is not public
 * (`public-address.ts`). We check literals and the addresses of names, for each connection and each redirect.
 *
 *   address → is it http(s), without a user? → is its literal public? → look-up: are all of its addresses public?
 *   → connect to these → request → status and the beginning of the body → a redirect, if asked for: once more from the start
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Turns } from '../concurrency/turns.ts';
import { OutboundError, unreachable } from './outbound-error.ts';
import {
  type Exchange,
  type ExchangeAnswer,
  exchange,
  onlyAllowed,
  refusePrivateLiteral,
} from './outbound-exchange.ts';
import { followRedirects } from './outbound-redirects.ts';
import { createAddressRule } from './public-address.ts';
import { type OutboundKind, type ReportOutbound, reported } from './report-outbound.ts';

export { OutboundError } from './outbound-error.ts';

export interface OutboundRequest {
  readonly kind: OutboundKind;
  /** http or https. User and password are refused. */
  readonly url: string;
  /** The body of a POST. If it is absent, the request is a GET. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit of the whole request, with its redirects. */
  readonly timeoutMs: number;
  /** The most bytes of the answer's body that are read. 0: only the status is read, and the body is not waited for. */
  readonly maxBodyBytes: number;
  /** The most redirects of a GET that are followed. By default none: then the redirect is the answer. */
  readonly redirects?: number;
  /** The operator has configured this address, so it may be private. The targets of its redirects must be public. */
  readonly isOurs?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer extends ExchangeAnswer {
  /** The address that answered, after redirects. */
  readonly url: string;
}

/** Throws OutboundError. */
export type AskOutside = (request: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  /** Private addresses and ranges that may be asked all the same, as in 10.1.0.0/16. */
  readonly allowedRanges: readonly string[];
  /** RFC 9110, section 10.1.5: the name by which hosts can look us up. */
  readonly userAgent?: string;
  /** Resolves names that customers configured. The default, and the resolver for `isOurs`, is the system's. */
  readonly lookup?: LookupFunction;
  readonly report?: ReportOutbound;
}

/** Each large body takes at most half a megabyte. */
const LARGE_BODIES_AT_ONCE = 32;
const LARGE_BODIES_OF_HOST = 4;

export function createAskOutside(options: OutboundOptions): AskOutside {
  const { report = () => {} } = options;
  const reach = createReach(options);
  return (request) => reported(report, request.kind, () => follow(request, reach));
}

/** Makes one exchange. Checks its address first, unless the operator has configured it. */
type Reach = (exchange: Omit<Exchange, 'lookup' | 'room'>, isOurs: boolean) => Promise<ExchangeAnswer>;

function createReach({
  allowedRanges,
  userAgent = 'Waypost',
  lookup = systemLookup,
}: OutboundOptions): Reach {
  const isAllowed = createAddressRule(allowedRanges);
  const filtered = onlyAllowed(lookup, isAllowed);
  const room = new Turns(LARGE_BODIES_AT_ONCE, LARGE_BODIES_OF_HOST);
  return async (asked, isOurs) => {
    if (!isOurs) refusePrivateLiteral(asked.url, isAllowed);
    const headers = { 'User-Agent': userAgent, ...asked.headers };
    return exchange({ ...asked, headers, lookup: isOurs ? systemLookup : filtered, room });
  };
}

async function follow(request: OutboundRequest, reach: Reach): Promise<OutboundAnswer> {
  const { body, headers = {}, maxBodyBytes, timeoutMs, isOurs = false } = request;
  const redirects = body === undefined ? (request.redirects ?? 0) : 0;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  return followRedirects(request.url, redirects, (url, hop) =>
    reach({ url, body, headers, maxBodyBytes, signal }, isOurs && hop === 0).catch((cause) => {
      throw asOutboundError(cause, request, timeout);
    }),
  );
}

function asOutboundError(cause: unknown, request: OutboundRequest, timeout: AbortSignal): OutboundError {
  if (request.signal?.aborted) return new OutboundError('aborted', 'given up', { cause });
  if (timeout.aborted) {
    return new OutboundError('timeout', `no whole answer within ${request.timeoutMs / 1000} s`, { cause });
  }
  return cause instanceof OutboundError ? cause : unreachable(cause);
}
