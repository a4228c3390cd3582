/**
 * The one door through which we ask other people's hosts: page hosts, receivers of webhooks, search engines. The addresses
 * in a request, and the ones that DNS answers, are hostile. So nobody is asked at an address that is not public, for long,
 * or for more than a bounded answer.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { errorCode } from '../error-code.ts';

/** Why we ask: for metrics. */
export type OutboundKind = 'webhook' | 'url submission' | 'key file' | 'robots.txt' | 'ping';

export interface OutboundRequest {
  readonly kind: OutboundKind;
  /** http or https. User and password are refused. */
  readonly url: string;
  /** GET without a body, POST with one. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** For everything, redirects included. */
  readonly timeoutMs: number;
  /** What is kept of the answer's body. The rest is not read. */
  readonly maxBodyBytes: number;
  /** How many redirects are followed. By default, none: the redirect is the answer. */
  readonly redirects?: number;
  /** The operator has configured this address, so it may be a private one. */
  readonly isOurs?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Its beginning, of at most `maxBodyBytes`. */
  readonly body: Buffer;
  /** Whether `body` is everything. */
  readonly isWhole: boolean;
  /** The address that answered, after redirects. */
  readonly url: string;
}

/** Throws OutboundError. */
export type AskOutside = (request: OutboundRequest) => Promise<OutboundAnswer>;

/**
 * | reason | means |
 * |---|---|
 * | blocked | not an address that we ask: not http(s), or not public |
 * | unreachable | no connection, or it ended before the whole answer |
 * | timeout | no whole answer in time |
 * | redirects | more redirects than asked for, or one that leads nowhere |
 * | aborted | by `signal` |
 */
export type OutboundFailure = 'blocked' | 'unreachable' | 'timeout' | 'redirects' | 'aborted';

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export type ReportOutbound = (kind: OutboundKind, outcome: OutboundOutcome, seconds: number) => void;
/** The class of the answer's status, as in 2xx, or why there is none. */
export type OutboundOutcome = `${1 | 2 | 3 | 4 | 5}xx` | OutboundFailure;

export interface OutboundOptions {
  /** Private addresses and ranges that may be asked all the same, as in 10.1.0.0/16. */
  readonly allowedRanges: readonly string[];
  readonly report?: ReportOutbound;
}

/** RFC 9110, section 10.1.5. Hosts can look us up. */
const USER_AGENT = 'Waypost/1.0 (+https://github.com/waypost/waypost)';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function createAskOutside({ allowedRanges, report = () => {} }: OutboundOptions): AskOutside {
  const filter = { allowIPAddressList: [...allowedRanges], keepAlive: false };
  const agents: Agents = {
    'http:': new RequestFilteringHttpAgent(filter),
    'https:': new RequestFilteringHttpsAgent(filter),
  };
  const ownAgents: Agents = { 'http:': new http.Agent(), 'https:': new https.Agent() };
  return async (request) => {
    const startedAt = performance.now();
    let outcome: OutboundOutcome = 'unreachable';
    try {
      const answer = await follow(request, request.isOurs ? ownAgents : agents);
      outcome = `${Math.floor(answer.status / 100)}xx` as OutboundOutcome;
      return answer;
    } catch (error) {
      if (error instanceof OutboundError) outcome = error.reason;
      throw error;
    } finally {
      report(request.kind, outcome, (performance.now() - startedAt) / 1000);
    }
  };
}

type Agents = Readonly<Record<'http:' | 'https:', http.Agent>>;

async function follow(request: OutboundRequest, agents: Agents): Promise<OutboundAnswer> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  let url = request.url;
  for (let left = request.redirects ?? 0; ; left--) {
    const answer = await exchange(request, checkedUrl(url), agents, signal).catch((cause) => {
      throw asOutboundError(cause, request, url, timeout);
    });
    const { location } = answer.headers;
    if (!request.redirects || !REDIRECTS.has(answer.status)) return answer;
    if (left === 0)
      throw new OutboundError('redirects', `${request.url} redirects more than ${request.redirects} times`);
    const next = location === undefined ? null : URL.parse(location, url);
    if (next === null) throw new OutboundError('redirects', `${url} redirects to no address`);
    url = next.href;
  }
}

function checkedUrl(text: string): URL & { readonly protocol: keyof Agents } {
  const url = URL.parse(text);
  if (url === null) throw new OutboundError('blocked', 'not an address');
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new OutboundError('blocked', `${protocol} is not asked, only http: and https:`);
  }
  if (username !== '' || password !== '')
    throw new OutboundError('blocked', 'an address with user and password');
  return url as URL & { protocol: keyof Agents };
}

/** One request and its answer. */
function exchange(
  { body, headers, maxBodyBytes }: OutboundRequest,
  url: URL & { readonly protocol: keyof Agents },
  agents: Agents,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  // Not fetch: it ignores agents, and with them the filter.
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      agent: agents[url.protocol],
      headers: {
        'User-Agent': USER_AGENT,
        // An inflated answer would not be bounded.
        'Accept-Encoding': 'identity',
        ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      },
      signal,
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = (isWhole: boolean) => {
        const beginning = Buffer.concat(chunks).subarray(0, maxBodyBytes);
        resolve({ status, headers: answered, body: beginning, isWhole, url: url.href });
      };
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= maxBodyBytes) return;
        finish(false);
        asking.destroy();
      });
      response.on('end', () => finish(true));
    });
    asking.end(body);
  });
}

function asOutboundError(
  cause: unknown,
  request: OutboundRequest,
  url: string,
  timeout: AbortSignal,
): OutboundError {
  if (cause instanceof OutboundError) return cause;
  if (request.signal?.aborted) return new OutboundError('aborted', 'given up', { cause });
  if (timeout.aborted)
    return new OutboundError('timeout', `no whole answer within ${request.timeoutMs / 1000} s`, { cause });
  // The words of request-filtering-agent, which has no code.
  if (cause instanceof Error && cause.message.includes('is not allowed. Because')) {
    return new OutboundError('blocked', `${new URL(url).hostname} has an address that is not public`, {
      cause,
    });
  }
  const code = errorCode(cause);
  const why = code === undefined ? 'the connection ended early' : String(code);
  return new OutboundError('unreachable', why, { cause });
}
