/** Every call ends, whatever a server answers, and its failure is an AcmeError. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { AcmeClient } from '../../../src/platform/acme/acme-client.ts';
import { AcmeError } from '../../../src/platform/acme/acme-error.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { testServerKeys, trustTestServers } from '../../support/test-authority.ts';
import { clientOf } from './issue.ts';

trustTestServers();

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The answers of an honest server, by path. */
function honestAnswers(origin: string): Record<string, Answer> {
  const json = (body: object, headers: Record<string, string> = {}, status = 200): Answer => ({
    status,
    headers: { 'content-type': 'application/json', 'replay-nonce': 'bm9uY2U', ...headers },
    body: JSON.stringify(body),
  });
  const order = {
    status: 'valid',
    expires: '2026-11-22T04:00:00Z',
    identifiers: [{ type: 'dns', value: 'maps.example.com' }],
    authorizations: [`${origin}/authorization`],
    finalize: `${origin}/finalize`,
    certificate: `${origin}/certificate`,
    error: { type: 'urn:ietf:params:acme:error:caa', detail: 'no', subproblems: [{ detail: 'not here' }] },
  };
  const problem = { type: 'urn:ietf:params:acme:error:dns', detail: 'SERVFAIL', subproblems: [] };
  const challenge = {
    type: 'http-01',
    url: `${origin}/challenge`,
    status: 'invalid',
    token: 'dG9rZW4',
    error: problem,
  };
  return {
    '/directory': json({
      newNonce: `${origin}/nonce`,
      newAccount: `${origin}/account`,
      newOrder: `${origin}/newOrder`,
      renewalInfo: `${origin}/renewal`,
      meta: { profiles: { tlsserver: 'for servers' } },
    }),
    '/nonce': json({}),
    '/account': json({ status: 'valid' }, { location: `${origin}/account/1` }, 201),
    '/newOrder': json(order, { location: `${origin}/order`, 'retry-after': '1' }, 201),
    '/order': json(order, { 'retry-after': '1' }),
    '/authorization': json({
      identifier: order.identifiers[0],
      status: 'invalid',
      challenges: [challenge],
    }),
    '/challenge': json(challenge),
    '/finalize': json(order),
    '/certificate': json({}, { 'content-type': 'application/pem-certificate-chain' }),
    '/renewal/refused.id': json(problem, { 'content-type': 'application/problem+json' }, 400),
    '/renewal/an.id': json({
      suggestedWindow: { start: '2026-11-22T04:00:00Z', end: '2026-11-23T04:00:00Z' },
    }),
  };
}

let answers: Record<string, Answer> = {};
const server = createServer(testServerKeys, ({ url = '' }, response) => {
  const { status, headers, body } = answers[url] ?? { status: 404, headers: {}, body: '' };
  response.writeHead(status, headers).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
const HONEST = honestAnswers(origin);
const PATHS = Object.keys(HONEST);

/** Sends these bytes to every connection that asks for something, and ends it. */
let raw = Buffer.alloc(0);
const rawServer = tls.createServer(testServerKeys, (socket) => {
  socket.on('error', () => {}).once('data', () => socket.end(raw));
});
rawServer.listen(0, '127.0.0.1');
await once(rawServer, 'listening');
const rawOrigin = `https://localhost:${(rawServer.address() as AddressInfo).port}`;

afterAll(async () => {
  server.close().closeAllConnections();
  rawServer.close();
  await Promise.all([once(server, 'close'), once(rawServer, 'close')]);
});

/** Makes every call, and returns their failures. */
async function callAll(client: AcmeClient): Promise<unknown[]> {
  const failures: unknown[] = [];
  const tried = async <T>(call: Promise<T>): Promise<T | undefined> =>
    call.catch((error: unknown) => {
      failures.push(error);
      return undefined;
    });
  await tried(client.account());
  const order = await tried(client.newOrder('maps.example.com'));
  if (order !== undefined) {
    for (const url of order.authorizations) {
      const authorization = await tried(client.authorization(url));
      if (authorization?.challenge) await tried(client.respond(authorization.challenge.url));
    }
    await tried(client.finalize(order, Buffer.of(1)));
    await tried(client.order(order.url));
    await tried(client.certificate(order));
  }
  await tried(client.renewalInfo('refused.id'));
  await tried(client.renewalInfo('an.id'));
  return failures;
}

function expectAcmeErrors(failures: readonly unknown[]): void {
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(AcmeError);
    const { message, retryAfterMs = 0, type = 'none' } = failure as AcmeError;
    expect(message.length).toBeLessThan(2500);
    expect(message).not.toMatch(/\p{C}/u);
    expect(type).toMatch(/^[A-Za-z0-9]{1,64}$/);
    expect(retryAfterMs >= 0 && retryAfterMs <= 86_400_000).toBe(true);
  }
}

/** Returns the document with one value replaced, at any depth. */
function replaceOne(document: unknown, at: number, put: unknown): unknown {
  let left = at;
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return put;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
  };
  return walk(document);
}

const hostileValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    'x'.repeat(100_000),
    '\u202e\u0000\n\u001b[31m',
    'urn:ietf:params:acme:error:badNonce',
    'urn:ietf:params:acme:error:rateLimited',
    'http://localhost/',
    'https://user@localhost/',
    `${origin}/order`,
    '//localhost:1/',
    '/challenge',
    '__proto__',
    '2026-99-99T99:99:99Z',
    Array.from({ length: 1000 }, () => ({ type: 'http-01' })),
  ),
);
const hostileField = fc.tuple(
  fc.constantFrom('content-type', 'location', 'replay-nonce', 'retry-after', 'content-encoding'),
  fc.oneof(
    fc.stringMatching(/^[ -~]{0,40}$/),
    fc.constantFrom(
      'application/problem+json',
      '-1',
      '99999999999999',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'x'.repeat(9000),
    ),
  ),
);
const edit = fc.record({
  path: fc.constantFrom(...PATHS),
  at: fc.nat(20),
  put: hostileValue,
  status: fc.option(fc.constantFrom(200, 201, 204, 301, 400, 403, 404, 409, 429, 500, 503)),
  field: fc.option(hostileField),
  text: fc.option(fc.string({ unit: 'binary', maxLength: 30 }), { freq: 8 }),
});

test('the honest server shows that every call is made', async () => {
  answers = HONEST;
  using client = clientOf({ directoryUrl: `${origin}/directory`, profile: 'tlsserver' });
  expect(await callAll(client)).toMatchObject([{ kind: 'refused', type: 'dns', detail: 'SERVFAIL' }]);
});

test('a server that changes its documents', async () => {
  const run = async (edits: readonly (typeof edit extends fc.Arbitrary<infer E> ? E : never)[]) => {
    answers = { ...HONEST };
    for (const { path, at, put, status, field, text } of edits) {
      const answer = answers[path]!;
      answers[path] = {
        status: status ?? answer.status,
        headers: { ...answer.headers, ...(field && { [field[0]]: field[1] }) },
        body: text ?? JSON.stringify(replaceOne(JSON.parse(HONEST[path]!.body), at, put)) ?? '',
      };
    }
    using client = clientOf({ directoryUrl: `${origin}/directory`, profile: 'tlsserver' });
    expectAcmeErrors(await callAll(client));
  };
  await fc.assert(fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), run), {
    numRuns: PROPERTY_RUNS,
  });
});

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const rawAnswer = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nnot a chunk`,
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`,
      `${HEAD}Content-Length: 100\r\n\r\n{}`,
      `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n{}`,
      `${HEAD}Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n{}`,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)}${HEAD}\r\n{}`,
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      'HTTP/1.1 999999 \r\n\r\n',
      '',
    )
    .map((text) => Buffer.from(text)),
);

test('a server that does not speak HTTP', async () => {
  const run = async (bytes: Buffer<ArrayBuffer>) => {
    raw = bytes;
    // An answer that stops the parser without an error ends by time.
    using client = clientOf({ directoryUrl: `${rawOrigin}/directory` }, { timeoutMs: 500 });
    const failure = await client.account().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unavailable' });
    expectAcmeErrors([failure]);
  };
  await fc.assert(fc.asyncProperty(rawAnswer, run), { numRuns: PROPERTY_RUNS });
});
