/**
 * Reads objects of any length from external hosts, by the rules of `outbound.ts` and one more: http is for addresses that the operator
 * allows, and all others need https. The body is not kept. It is read at the pace of its reader.
 */
import { lookup as systemLookup } from 'node:dns';
import { addressRanges } from './client-address.ts';
import type { OutboundOptions } from './outbound.ts';
import { OutboundError } from './outbound-error.ts';
import { type HttpUrl, onlyAllowed, refusePrivateLiteral } from './outbound-exchange.ts';
import { followRedirects } from './outbound-redirects.ts';
import { type OutboundStream, openStream, type StreamLimits } from './outbound-stream.ts';
import { createAddressRule } from './public-address.ts';
import { type OutboundKind, reported } from './report-outbound.ts';

export interface ReadRequest {
  readonly kind: OutboundKind;
  /** An https URL, or an http URL if the operator allows all addresses of its host. A URL with a user or a password is refused. */
  readonly url: string;
  /**
   * Header fields such as Range and If-Match. The targets of redirects get the fields too, so `redirects` must be 0 if a field is a secret.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits: StreamLimits;
  /** The most redirects that are followed. */
  readonly redirects: number;
  readonly signal: AbortSignal;
}

/** Opens an object. `url`: the address that answered, after redirects. The caller reads the body, or calls `end`. Throws OutboundError. */
export type ReadOutside = (request: ReadRequest) => Promise<OutboundStream & { readonly url: string }>;

export function createReadOutside({
  allowedRanges,
  userAgent = 'Waypost',
  lookup = systemLookup,
  report = () => {},
}: OutboundOptions): ReadOutside {
  const isAllowed = createAddressRule(allowedRanges);
  const isOwn = addressRanges(allowedRanges);
  const lookups = {
    'https:': onlyAllowed(lookup, isAllowed),
    'http:': onlyAllowed(lookup, isOwn, notSecure),
  };
  const open = async (url: HttpUrl, { headers, limits, signal }: ReadRequest) => {
    if (url.protocol === 'https:') refusePrivateLiteral(url, isAllowed);
    else if (allowedRanges.length === 0) throw notSecure(url.hostname);
    else refusePrivateLiteral(url, isOwn, notSecure);
    const sent = { 'User-Agent': userAgent, ...headers };
    return openStream({ url, headers: sent, lookup: lookups[url.protocol], signal }, limits);
  };
  return (request) =>
    reported(report, request.kind, () =>
      followRedirects(
        request.url,
        request.redirects,
        (url) => open(url, request),
        (redirect) => redirect.end(),
      ),
    );
}

function notSecure(hostname: string): OutboundError {
  return new OutboundError('blocked', `${hostname} is asked by https: only`);
}
