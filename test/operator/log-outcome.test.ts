/** Each request to the operator's API that may change something has one line in the log, which names the token. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { operatorRoutes } from '../../src/edges/operator/admit-token.ts';
import { OPERATOR_OPERATIONS } from '../../src/edges/operator/operator-operations.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { Tarpit } from '../../src/platform/http/tarpit.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { collectLog } from '../support/collect-log.ts';
import { serveRoutes } from '../support/serve-routes.ts';
import { SOON } from '../support/soon.ts';

const MSG = 'operator request';
const SECRET = 'a secret of the body';
const CLIENT = '127.0.0.1';

/** The work of all operations. */
const run = vi.fn<(call: { members(): Promise<unknown> }) => Promise<unknown>>();
const log = collectLog();
const state = { limit: 10, remaining: 0, resetSeconds: 60, excess: 0 };
const admit = vi.fn(async (token: string | undefined, _client: string) => {
  if (token === undefined) throw new Refusal('UNAUTHORIZED', 'no token');
  return { caller: { token }, state: { ...state, excess: token === 'greedy' ? 1 : 0 } };
});

const operations = OPERATOR_OPERATIONS.map((operation) => ({
  ...operation,
  run: (_: unknown, call: { members(): Promise<unknown> }) => run(call),
}));
const { origin, call } = await serveRoutes([
  operatorRoutes(operations as never, { maxBodyBytes: 1000 } as never, {
    ...{ admit, tarpit: new Tarpit(), turns: new Turns(1), underWay: new Set() },
    once: { log } as never,
  }),
]);

const said = () => log.lines.filter(({ message }) => message === MSG);

async function ask(route: string, body?: unknown, headers: Record<string, string> = {}) {
  log.lines.length = 0;
  return call(route, body, { Authorization: 'Bearer ci', ...headers });
}

/** The line for an answer. */
const lineOf = (answer: { status: number; headers: Headers }, members: object) => ({
  ...{ level: 'info', message: MSG },
  details: {
    ...{ token: 'ci', client: CLIENT, status: answer.status },
    requestId: answer.headers.get('x-request-id'),
    ...members,
  },
});

const addressOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name) => `${name}_8PXeY16He1`);
const changing = operations.filter(({ method }) => method !== 'get');

test('most operations change something', () => {
  expect(changing.length).toBeGreaterThan(20);
});

describe.each(changing)('$id', ({ id: operationId, method, path }) => {
  const address = addressOf(path);
  const route = `${method.toUpperCase()} ${address}`;

  test('has a line with the token when it is done', async () => {
    run.mockImplementation(async () => ({ secret: SECRET }));
    const answer = await ask(route, { secret: SECRET });
    expect(answer.status).toBeLessThan(300);
    await vi.waitFor(() => expect(said()).toEqual([lineOf(answer, { operationId, path: address })]), SOON);
  });

  test.each([
    ['is refused', new Refusal('NOT_FOUND', SECRET), 404],
    ['fails', new Error(SECRET), 500],
  ])('has a line when it %s', async (_, error, status) => {
    run.mockRejectedValue(error);
    const answer = await ask(route, { secret: SECRET });
    expect(answer.status).toBe(status);
    expect(said()).toEqual([lineOf(answer, { operationId, path: address })]);
  });
});

test.each(operations.filter(({ method }) => method === 'get'))('$id has none', async ({ path }) => {
  run.mockRejectedValue(new Refusal('NOT_FOUND', 'nothing'));
  for (const method of ['GET', 'HEAD']) {
    await ask(`${method} ${addressOf(path)}`).catch(() => {});
    expect(said()).toEqual([]);
  }
});

describe('a request that is refused before its work', () => {
  const path = '/operator/accounts/account_1';
  const changed = { operationId: 'deleteAccount', path };

  test('has a line if its token is known', async () => {
    const query = await ask(`DELETE ${path}?secret=${SECRET}`);
    expect(query.status).toBe(422);
    expect(said()).toEqual([lineOf(query, changed)]);
    const limited = await ask(`DELETE ${path}`, undefined, { Authorization: 'Bearer greedy' });
    expect(limited.status).toBe(429);
    expect(said()).toEqual([lineOf(limited, { ...changed, token: 'greedy' })]);
  });

  test('has none without a token: `authentication failed` has its line', async () => {
    expect((await ask(`DELETE ${path}`, undefined, { Authorization: 'none' })).status).toBe(401);
    expect(said()).toEqual([]);
  });
});

test('a client that leaves before its body has come has a line without a status', async () => {
  run.mockImplementation(({ members }) => members());
  log.lines.length = 0;
  const socket = connect(Number(new URL(origin).port), CLIENT);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = [
    'POST /operator/accounts HTTP/1.1',
    'Host: x',
    'Authorization: Bearer ci',
    'Content-Length: 9',
  ];
  const type = 'Content-Type: application/json';
  run.mockClear();
  socket.write([...head, type, '', '{'].join('\r\n'));
  await vi.waitFor(() => expect(run, 'the work begins').toHaveBeenCalled(), SOON);
  socket.resetAndDestroy();
  const details = { token: 'ci', operationId: 'createAccount', status: null };
  await vi.waitFor(() => expect(said()).toMatchObject([{ details }]), SOON);
});
