/**
 * An HTTPS proxy before Pebble. It counts and records calls by kind, and breaks the calls that a test chooses. Pebble
 * makes its addresses from the Host header of a request, so all of them lead to the proxy.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { TEST_AUTHORITY, testServerKeys } from './test-authority.ts';

/** The kinds of calls, by the beginning of Pebble's paths. */
const KINDS = {
  '/dir': 'directory',
  '/nonce-plz': 'newNonce',
  '/sign-me-up': 'newAccount',
  '/my-account/': 'account',
  '/order-plz': 'newOrder',
  '/my-order/': 'order',
  '/finalize-order/': 'finalize',
  '/authZ/': 'authorization',
  '/chalZ/': 'challenge',
  '/certZ/': 'certificate',
  '/draft-ietf-acme-ari': 'renewalInfo',
} as const;

export type AcmeCall = (typeof KINDS)[keyof typeof KINDS];

export interface FrontAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * | fault | reaches Pebble | the client sees |
 * |---|---|---|
 * | hang | nothing | nothing, until it gives up |
 * | lost | the request | its connection is cut before the answer |
 * | cut | the request | half of the answer, then its connection is cut |
 * | endless | nothing | an answer that never ends |
 * | answer | nothing | this answer |
 * | change | the request | Pebble's answer, changed |
 * | before | nothing | its connection is cut after the function, which may kill a process, has run |
 * | after | the request | its connection is cut after the function has run |
 */
export type AcmeFault =
  | 'hang'
  | 'lost'
  | 'cut'
  | 'endless'
  | { readonly answer: FrontAnswer }
  | { readonly change: (answer: FrontAnswer) => FrontAnswer | Promise<FrontAnswer> }
  | { readonly before: () => void | Promise<void> }
  | { readonly after: () => void | Promise<void> };

export interface AcmeFront extends AsyncDisposable {
  readonly port: number;
  readonly directoryUrl: string;
  /** All calls since the start or `reset`, in order. */
  readonly calls: readonly AcmeCall[];
  count(kind: AcmeCall): number;
  /**
   * The number of orders that Pebble has made since then. Refused calls do not count: for a moment after it has issued a
   * certificate, Pebble does not know it, and refuses an order with `replaces`. The client then orders without `replaces`.
   */
  readonly orders: number;
  /** Makes `times` successive calls of the kind fail, from the n-th on: 1 is the next one. */
  break(kind: AcmeCall | 'any', fault: AcmeFault, options?: { n?: number; times?: number }): void;
  /** Forgets calls and faults. */
  reset(): void;
}

/** An error of the server. `type`: the part after urn:ietf:params:acme:error:. */
export function problem(
  status: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): { answer: FrontAnswer } {
  const body = JSON.stringify({
    type: `urn:ietf:params:acme:error:${type}`,
    detail: `front says ${type}`,
    status,
  });
  return { answer: { status, headers: { 'content-type': 'application/problem+json', ...headers }, body } };
}

export const RATE_LIMITED = problem(429, 'rateLimited', { 'retry-after': '3600' });
export const ALREADY_REPLACED = problem(409, 'alreadyReplaced');
export const UNAVAILABLE: AcmeFault = { answer: { status: 503, headers: {}, body: 'down for maintenance' } };
export const WRONG_CONTENT_TYPE = {
  change: (answer: FrontAnswer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-type': 'text/html' },
  }),
};

/** Delays Pebble's answer until `act` has ended. */
export const meanwhile = (act: () => Promise<unknown>): AcmeFault => ({
  change: async (answer) => {
    await act();
    return answer;
  },
});

export const redirectTo = (location: string): AcmeFault => ({
  answer: { status: 302, headers: { location }, body: '' },
});

/** Replaces the host in all addresses of an answer, for example by `localhost:1234`. */
export function nameHost(host: string): AcmeFault {
  const change = (text: string) => text.replaceAll(/(?<=https:\/\/)localhost:\d+/g, host);
  return {
    change: ({ status, headers, body }) => ({
      status,
      headers: { ...headers, ...(headers.location !== undefined && { location: change(headers.location) }) },
      body: change(body),
    }),
  };
}

interface Rule {
  readonly kind: AcmeCall | 'any';
  readonly fault: AcmeFault;
  /** How many matching calls still pass before the fault strikes. */
  passes: number;
  strikes: number;
}

/** `pebblePort`: where Pebble listens. */
export async function startAcmeFront(pebblePort: number): Promise<AcmeFront> {
  const calls: AcmeCall[] = [];
  let rules: Rule[] = [];
  let orders = 0;
  const agent = new https.Agent({ keepAlive: true, ca: TEST_AUTHORITY.certificate });

  const strike = (kind: AcmeCall): AcmeFault | undefined => {
    let struck: Rule | undefined;
    for (const rule of rules.filter((rule) => rule.kind === kind || rule.kind === 'any')) {
      if (rule.passes > 0) rule.passes -= 1;
      else struck ??= rule;
    }
    if (struck === undefined) return undefined;
    struck.strikes -= 1;
    rules = rules.filter(({ strikes }) => strikes > 0);
    return struck.fault;
  };

  const server = https.createServer(testServerKeys, (request, response) => {
    const kind = kindOf(request.url ?? '');
    calls.push(kind);
    const pass = async () => {
      const answer = await askPebble(request, pebblePort, agent);
      if (kind === 'newOrder' && answer.status === 201) orders += 1;
      return answer;
    };
    serve(strike(kind), pass, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    directoryUrl: `https://localhost:${port}/dir`,
    calls,
    get orders() {
      return orders;
    },
    count: (kind) => calls.filter((call) => call === kind).length,
    break: (kind, fault, { n = 1, times = 1 } = {}) => {
      rules.push({ kind, fault, passes: n - 1, strikes: times });
    },
    reset: () => {
      calls.length = 0;
      orders = 0;
      rules = [];
    },
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

function kindOf(path: string): AcmeCall {
  const [, kind] = Object.entries(KINDS).find(([start]) => path.startsWith(start)) ?? [];
  if (kind === undefined) throw new Error(`the front does not know ${path}`);
  return kind;
}

async function serve(
  fault: AcmeFault | undefined,
  pass: () => Promise<FrontAnswer>,
  response: ServerResponse,
): Promise<void> {
  if (fault === 'hang') return;
  if (fault === 'endless') return sendForEver(response);
  if (typeof fault === 'object' && 'answer' in fault) return send(response, fault.answer);
  if (typeof fault === 'object' && 'before' in fault) {
    await fault.before();
    response.destroy();
    return;
  }
  const answer = await pass();
  if (fault === undefined) return send(response, answer);
  if (fault === 'cut') return sendHalf(response, answer);
  if (fault !== 'lost' && 'change' in fault) return send(response, await fault.change(answer));
  if (fault !== 'lost') await fault.after();
  response.destroy();
}

async function askPebble(request: IncomingMessage, port: number, agent: https.Agent): Promise<FrontAnswer> {
  const { method = 'GET', url: path = '/', headers } = request;
  const outgoing = https.request({ host: 'localhost', port, method, path, headers, agent });
  request.pipe(outgoing);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
  const kept = ['content-type', 'location', 'replay-nonce', 'retry-after', 'link'];
  const entries = kept.flatMap((name) => {
    const value = incoming.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return { status: incoming.statusCode ?? 0, headers: Object.fromEntries(entries), body };
}

function send(response: ServerResponse, { status, headers, body }: FrontAnswer): void {
  response.writeHead(status, headers).end(body);
}

function sendHalf(response: ServerResponse, { status, headers, body }: FrontAnswer): void {
  const length = Math.max(Buffer.byteLength(body), 2);
  response.writeHead(status, { ...headers, 'content-length': length });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

function sendForEver(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  // An answer to HEAD has no body, so its buffer never fills.
  if (response.req.method === 'HEAD') return void response.end();
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}
