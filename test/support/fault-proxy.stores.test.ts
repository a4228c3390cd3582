import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { borrow } from './borrow.ts';
import { type FaultProxy, type FaultRule, startFaultProxy } from './fault-proxy.ts';
import { once, SOON } from './soon.ts';

let proxy: FaultProxy;
afterEach(() => proxy[Symbol.asyncDispose]());

describe('before an HTTP server', () => {
  /** The requests that the server received whole. */
  const received: string[] = [];
  const server = createServer((incoming, response) => {
    text(incoming).then(
      (body) => {
        received.push(`${incoming.method} ${incoming.url} ${body.length}`);
        if (incoming.url === '/chunked') {
          response.write('one,');
          response.write('two,');
        } else response.setHeader('Content-Length', 5);
        response.end(incoming.method === 'HEAD' ? undefined : 'three');
      },
      () => {},
    );
  }).listen(0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  beforeEach(async () => {
    received.length = 0;
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    proxy = await startFaultProxy({ port, protocol: 'http' });
  });

  async function send(route: string, body?: string | string[]): Promise<string> {
    const [method, path] = route.split(' ');
    const outgoing = request({ agent, method, path, port: proxy.port, host: '127.0.0.1' });
    if (Array.isArray(body)) {
      for (const part of body) outgoing.write(part);
      outgoing.end();
    } else outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    return `${response.statusCode} ${await text(response)}`;
  }
  const failure = (sent: Promise<unknown>) =>
    sent.then(
      (answer) => `answered ${answer}`,
      (error) => error.code,
    );
  const connections = async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    server.getConnections((_, count) => resolve(count));
    return promise;
  };

  test('requests and responses of every framing pass and are counted', async () => {
    expect(await send('GET /plain')).toBe('200 three');
    expect(await send('HEAD /plain')).toBe('200 ');
    expect(await send('PUT /a', 'x'.repeat(200_000))).toBe('200 three');
    expect(await send('POST /chunked', ['some', 'thing'])).toBe('200 one,two,three');
    expect(received).toEqual(['GET /plain 0', 'HEAD /plain 0', 'PUT /a 200000', 'POST /chunked 9']);
    expect([proxy.requests, proxy.responses]).toEqual([4, 4]);
    proxy.resetCounts();
    await send('GET /plain');
    expect([proxy.requests, proxy.responses]).toEqual([1, 1]);
  });

  test.each<[FaultRule['at'], FaultRule['action'], string, number]>([
    ['request', 'cut', 'ECONNRESET', 1],
    ['request', 'reset', 'ECONNRESET', 1],
    ['request end', 'cut', 'ECONNRESET', 1],
    ['response', 'cut', 'ECONNRESET', 2],
    ['response', 'reset', 'ECONNRESET', 2],
    ['response end', 'cut', 'ECONNRESET', 2],
  ])(
    'at the second %s, a %s gives the client %s after %i requests reached the server',
    async (at, action, code, done) => {
      proxy.rule = { at, n: 2, action };
      expect(await send('PUT /1', 'body')).toBe('200 three');
      expect(await failure(send('PUT /2', 'body'))).toBe(code);
      await vi.waitFor(() => expect(received).toHaveLength(done), SOON);
      expect(proxy.struck).toEqual({ method: 'PUT', path: '/2' });
      expect(proxy.rule).toBeUndefined();
      expect(await send('PUT /3', 'body')).toBe('200 three');
      expect(received.at(-1)).toBe('PUT /3 4');
    },
  );

  test('a rule counts the messages that match, from when it is set', async () => {
    await send('GET /1');
    proxy.rule = { at: 'request', n: 2, matching: ({ path }) => path === '/1', action: { status: 503 } };
    const answers = [];
    for (const route of ['PUT /1', 'PUT /2', 'PUT /1', 'PUT /1']) answers.push(await send(route, 'x'));
    expect(answers).toEqual(['200 three', '200 three', '503 ', '200 three']);
    expect(received).toHaveLength(4);
  });

  test('after a call returns, the connection is cut or the message passes', async () => {
    const called: number[] = [];
    const call = async () => {
      await Promise.resolve();
      called.push(received.length);
    };
    proxy.rule = { at: 'response', n: 1, action: { call } };
    expect(await failure(send('GET /1'))).toBe('ECONNRESET');
    proxy.rule = { at: 'request', n: 1, action: { call, thenPass: true } };
    expect(await send('GET /2')).toBe('200 three');
    expect(called).toEqual([1, 1]);
  });

  test('a hanging request ends with a cut and continues with another mode', async () => {
    proxy.rule = { at: 'request', n: 1, action: 'hang' };
    const hanging = failure(send('GET /1'));
    await vi.waitFor(() => expect(proxy.struck).toBeDefined(), SOON);
    proxy.cutAll();
    expect(await hanging).toBe('ECONNRESET');
    proxy.mode = 'hang';
    const waiting = send('GET /2');
    await vi.waitFor(() => expect(proxy.requests).toBe(2), SOON);
    proxy.mode = 'pass';
    expect(await waiting).toBe('200 three');
    expect(received).toEqual(['GET /2 0']);
  });

  test('all traffic can be refused, answered or slowed down', async () => {
    await send('GET /1');
    proxy.mode = 'refuse';
    expect(await failure(send('GET /2'))).toBe('ECONNRESET');
    proxy.mode = { status: 503 };
    expect(await send('PUT /3', 'x'.repeat(100_000))).toBe('503 ');
    proxy.mode = { bytesPerSecond: 1_000_000 };
    expect(await send('PUT /4', 'x'.repeat(20_000))).toBe('200 three');
    proxy.mode = 'pass';
    expect(await send('GET /5')).toBe('200 three');
    expect(received).toEqual(['GET /1 0', 'PUT /4 20000', 'GET /5 0']);
  });

  test('a client that disconnects closes the connection to the server', async () => {
    await send('GET /1');
    expect(await connections()).toBe(1);
    agent.destroy();
    await vi.waitFor(async () => expect(await connections()).toBe(0), SOON);
  });
});

describe('before Postgres', async () => {
  const direct = new URL(await borrow('postgres'));
  let client: pg.Client;
  beforeEach(async () => {
    proxy = await startFaultProxy({ port: Number(direct.port), protocol: 'postgres' });
    client = await connectClient();
  });
  afterEach(() => client.end());

  async function connectClient(): Promise<pg.Client> {
    const url = Object.assign(new URL(direct), { port: String(proxy.port) });
    const connected = new pg.Client({ connectionString: url.href });
    connected.on('error', () => {});
    await connected.connect();
    await connected.query('CREATE TEMP TABLE seen (n integer, word text)');
    proxy.resetCounts();
    return connected;
  }
  const failure = (asked: Promise<unknown>) =>
    asked.then(
      () => 'answered',
      (error) => error.message,
    );

  test('each round trip is one request and one response, identified by its SQL', async () => {
    const asked: unknown[] = [];
    const steps: [string, () => Promise<unknown>][] = [
      ['SELECT 1', () => client.query('SELECT 1')],
      ['SELECT $1::text', () => client.query('SELECT $1::text', ['x'])],
      ['SELECT $1::int', () => client.query({ name: 'named', text: 'SELECT $1::int', values: [1] })],
      ['SELECT $1::int', () => client.query({ name: 'named', text: 'SELECT $1::int', values: [2] })],
      ['SELECT wrong', () => failure(client.query('SELECT wrong'))],
      [`SELECT repeat('x', 300000)`, () => client.query(`SELECT repeat('x', 300000)`)],
    ];
    for (const [sql, step] of steps) {
      const { requests, responses } = proxy;
      proxy.rule = { at: 'response', n: 1, action: { delayMs: 0 } };
      await step();
      asked.push({ struck: proxy.struck, requests: proxy.requests - requests });
      expect(proxy.responses - responses, sql).toBe(1);
    }
    expect(asked).toEqual(steps.map(([sql]) => ({ struck: { sql }, requests: 1 })));
  });

  test.each<[FaultRule['at'], boolean]>([
    ['request', false],
    ['request end', false],
    ['response', true],
    ['response end', true],
  ])('after a cut at the %s, an insert is done: %s', async (at, isDone) => {
    const table = `cut_${at.replace(' ', '_')}`;
    const judge = new pg.Client({ connectionString: direct.href });
    await judge.connect();
    try {
      await judge.query(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (n integer)`);
      proxy.rule = { at, n: 1, matching: ({ sql }) => sql?.startsWith('INSERT') === true, action: 'cut' };
      expect(await failure(client.query(`INSERT INTO ${table} VALUES ($1)`, [1]))).toMatch(/terminated/);
      const settled = `SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1`;
      await vi.waitFor(async () => {
        expect((await judge.query(settled, [`INSERT INTO ${table}%`])).rows).toEqual([{ count: 0 }]);
      }, SOON);
      expect((await judge.query(`SELECT FROM ${table}`)).rowCount).toBe(isDone ? 1 : 0);
    } finally {
      await judge.query(`DROP TABLE ${table}`);
      await judge.end();
    }
  });

  test('opening a connection is a round trip of its own', async () => {
    proxy.rule = { at: 'request', n: 1, action: 'reset' };
    expect(await failure(connectClient())).not.toBe('answered');
    expect(proxy.struck).toEqual({ method: 'CONNECT' });
  });
});
