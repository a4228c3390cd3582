/**
 * Sends requests to external hosts: webhooks, URL submission, key files, robots.txt, pings, sign-in. `read-outside.ts` reads long answers
 * by the same rules. An address that a customer chose could make us ask our own network (SSRF), so we refuse addresses that are not public
 * (`public-address.ts`). For each connection and each redirect, we check a literal address, or all addresses of a name.
 *
 *   address → is it http(s), without a user? → is its literal public? → look-up: are all of its addresses public?
 *   → connect to these → request → status and the beginning of the body → for a redirect that is to be followed, all of this again
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Turns } from '../concurrency/turns.ts';
import { OutboundError, unreachable } from './outbound-error.ts';
import { type ExchangeAnswer, exchange, onlyAllowed, refusePrivateLiteral } from './outbound-exchange.ts';
import { followRedirects } from './outbound-redirects.ts';
import { createAddressRule } from './public-address.ts';
import { type OutboundKind, type ReportOutbound, reported } from './report-outbound.ts';

export { OutboundError } from './outbound-error.ts';

export interface OutboundRequest {
  readonly kind: OutboundKind;
  /** An http or https URL. A URL with a user or a password is refused. */
  readonly url: string;
  /** The body of a POST. If it is absent, the request is a GET. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit of the whole request, with its redirects. */
  readonly timeoutMs: number;
  /** The most bytes of the answer's body that are read. With 0, the request ends with the head of the answer. */
  readonly maxBodyBytes: number;
  /** The most redirects of a GET that are followed. The default is 0: the redirect is the answer. */
  readonly redirects?: number;
  /** Whether the operator has configured this address. Then it may be private. The targets of its redirects must be public. */
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
  /** The field User-Agent, by which people at a host can look us up (RFC 9110, section 10.1.5). */
  readonly userAgent?: string;
  /** Resolves names that customers configured. Default: the resolver of the system, which also resolves the names of `isOurs`. */
  readonly lookup?: LookupFunction;
  readonly report?: ReportOutbound;
}

/** The most large bodies in memory. Each takes at most half a megabyte. */
const LARGE_BODIES_AT_ONCE = 32;
const LARGE_BODIES_OF_HOST = 4;

export function createAskOutside({
  allowedRanges,
  userAgent = 'Waypost',
  lookup = systemLookup,
  report = () => {},
}: OutboundOptions): AskOutside {
  const isAllowed = createAddressRule(allowedRanges);
  const filtered = onlyAllowed(lookup, isAllowed);
  const room = new Turns(LARGE_BODIES_AT_ONCE, LARGE_BODIES_OF_HOST);
  const follow = (request: OutboundRequest) => {
    const { body, maxBodyBytes } = request;
    const redirects = body === undefined ? (request.redirects ?? 0) : 0;
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    const headers = { 'User-Agent': userAgent, ...request.headers };
    const asked = { body, headers, maxBodyBytes, room, signal };
    return followRedirects(request.url, redirects, async (url, hop) => {
      const isOurs = request.isOurs === true && hop === 0;
      try {
        if (!isOurs) refusePrivateLiteral(url, isAllowed);
        return await exchange({ ...asked, url, lookup: isOurs ? systemLookup : filtered });
      } catch (cause) {
        throw asOutboundError(cause, request, timeout);
      }
    });
  };
  return (request) => reported(report, request.kind, () => follow(request));
}

function asOutboundError(cause: unknown, request: OutboundRequest, timeout: AbortSignal): OutboundError {
  if (request.signal?.aborted) return new OutboundError('aborted', 'given up', { cause });
  if (timeout.aborted) {
    return new OutboundError('timeout', `no whole answer within ${request.timeoutMs / 1000} s`, { cause });
  }
  return cause instanceof OutboundError ? cause : unreachable(cause);
}
