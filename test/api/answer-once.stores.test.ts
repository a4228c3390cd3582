import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from 'express';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createWebComplaints } from '../../src/core/web/complaints.ts';
import { createWebServer } from '../../src/core/web/create-web-server.ts';
import { successAnswer } from '../../src/core/web/envelope.ts';
import { readMembers } from '../../src/core/web/json-body.ts';
import { type AnswerOnceOptions, answerOnce } from '../../src/edges/api/answer-once.ts';
import { createClaims } from '../../src/features/idempotency/claims.ts';
import { Shares } from '../../src/platform/concurrency/shares.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { Secret } from '../../src/platform/secret.ts';
import { send } from '../service/support/send.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const accountId = await addAccount(database);
await database.query('CREATE TABLE deeds (id integer GENERATED ALWAYS AS IDENTITY, key text, name text)');
let statements = 0;
const counting = new Proxy(database, {
  get(target, property) {
    if (property === 'query') statements++;
    const value = Reflect.get(target, property);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});
const log = collectLog();
const started: Server[] = [];
afterAll(() => {
  for (const server of started) server.close().closeAllConnections();
});
let newSecret: Secret | undefined;

const COURSES = ['done', 'refused', 'fails before', 'rolled back', 'fails after', 'unrecorded'] as const;
type Course = (typeof COURSES)[number];

/** A server whose only route does a deed. The header `Course` chooses its outcome. */
async function startServer(comparisons = new Shares({ inAll: 100, perOwner: 100 })): Promise<Server> {
  const claims = createClaims({ database: counting, secret: newSecret ?? new Secret('for tests'), log });
  const bodyLimits = { maxBytes: 1_000_000, timeoutMs: 60_000 };
  const ensureWritten = async () => {};
  const options: AnswerOnceOptions = {
    claims,
    log,
    comparisons,
    bodyLimits,
    ensureWritten,
  };
  const router = Router().post('/api/deeds', (request, response) =>
    answerOnce(
      options,
      { accountId, keyId: request.get('of-key') ?? null },
      request,
      response,
      async (record) => {
        const course = request.get('course') as Course;
        const name = (await readMembers(request, response, ['name'], 1000)).get('name');
        const answer = await inTransaction(database, async (transaction) => {
          if (course === 'fails before') throw new Error('a failure before');
          const key = request.get('idempotency-key');
          const { rows } = await transaction.query(
            'INSERT INTO deeds (key, name) VALUES ($1, $2) RETURNING id, name',
            [key, name],
          );
          if (course === 'refused') throw new Refusal('CONFLICT', 'refused');
          const done = successAnswer(201, rows[0]);
          if (course !== 'unrecorded') await record(transaction, done);
          if (course === 'rolled back') throw new Error('a failure before COMMIT');
          return done;
        });
        if (course === 'fails after') throw new Error('a failure after COMMIT');
        return answer;
      },
    ),
  );
  const web = { complain: createWebComplaints(log), trustedProxies: 0, checkHealth: async () => {} };
  const reports = { answered() {}, refused() {} };
  const server = createWebServer({ ...web, reports }, [router]).listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.push(server);
  return server;
}
const servers = [await startServer(), await startServer()] as const;

interface Attempt {
  readonly key?: string;
  readonly name: string;
  readonly course: Course;
  readonly server: Server;
}
async function attempt({ key, name, course, server }: Attempt) {
  const { port } = server.address() as AddressInfo;
  const { status, headers, body } = await send(`http://127.0.0.1:${port}/api/deeds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Course: course, ...(key && { 'Idempotency-Key': key }) },
    body: JSON.stringify({ name }),
  });
  const { data, error } = JSON.parse(body.toString());
  const isReplay = headers['idempotency-replayed'] === 'true';
  return { status, data, field: error?.details?.field, isReplay, retryAfter: headers['retry-after'] };
}
async function deedsUnder(key: string): Promise<{ id: number; name: string }[]> {
  return (await database.query('SELECT id, name FROM deeds WHERE key = $1', [key])).rows;
}
const [server] = servers;
let keys = 0;
const newKey = () => `key-${++keys}`;
const OTHER = { status: 422, field: 'Idempotency-Key' };

test('in any order, at any process, whatever fails: a deed is done once, and only its request hears of it', async () => {
  const arbitraryAttempt = fc.record({
    key: fc.constantFrom('x', 'y'),
    name: fc.constantFrom('a', 'b'),
    course: fc.constantFrom(...COURSES),
    server: fc.constantFrom(...servers),
  });
  const waves = fc.array(fc.array(arbitraryAttempt, { minLength: 1, maxLength: 6 }), { maxLength: 6 });
  const property = fc.asyncProperty(waves, async (given) => {
    const run = newKey();
    for (const wave of given) {
      const attempts = wave.map((one) => ({ ...one, key: `${run}-${one.key}` }));
      const before = new Map(
        await Promise.all(attempts.map(async ({ key }) => [key, await deedsUnder(key)] as const)),
      );
      const answers = await Promise.all(attempts.map(attempt));
      for (const [n, { key, name, course }] of attempts.entries()) {
        const { status, data, field, isReplay, retryAfter } = answers[n]!;
        const deeds = await deedsUnder(key);
        expect(deeds.length).toBeLessThanOrEqual(1);
        // A deed that was done stays done.
        for (const deed of before.get(key)!) expect(deeds).toEqual([deed]);
        if (status === 201) {
          expect(deeds).toEqual([data]);
          expect(data.name).toBe(name);
        } else if (field !== undefined) {
          expect([409, 422]).toContain(status);
          expect(retryAfter).toEqual(status === 409 ? expect.any(String) : undefined);
          if (status === 422) expect(deeds[0]?.name).not.toBe(name);
        } else expect(status).toBe(course === 'refused' ? 409 : 500);
        if (attempts.length > 1) continue;
        // Alone, all is certain.
        const [done] = before.get(key)!;
        if (done !== undefined) {
          expect({ status, isReplay }).toEqual(
            done.name === name ? { status: 201, isReplay: true } : { status: 422, isReplay: false },
          );
        } else {
          const doesSucceed = course === 'done' || course === 'unrecorded';
          expect({ isReplay, isDone: status === 201 }).toEqual({ isReplay: false, isDone: doesSucceed });
        }
      }
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(PROPERTY_RUNS / 4) });
});

test('a failure after COMMIT loses no answer', async () => {
  const request = { key: newKey(), name: 'a', server };
  expect(await attempt({ ...request, course: 'fails after' })).toMatchObject({ status: 500 });
  const [deed] = await deedsUnder(request.key);
  const again = await attempt({ ...request, course: 'done' });
  expect(again).toMatchObject({ status: 201, data: deed, isReplay: true });
  expect(await attempt({ ...request, name: 'b', course: 'done' })).toMatchObject(OTHER);
});

test('a request costs no statement more without a key, and two with one', async () => {
  const count = async (key: Pick<Attempt, 'key'>, course: Course) => {
    const before = statements;
    await attempt({ ...key, name: 'a', course, server });
    return statements - before;
  };
  expect(await count({}, 'done')).toBe(0);
  const key = newKey();
  // The other one is in the transaction of the deed.
  expect(await count({ key }, 'done')).toBe(1);
  expect(await count({ key }, 'done')).toBe(1);
  expect(await count({ key: newKey() }, 'unrecorded')).toBe(2);
  expect(await count({ key: newKey() }, 'refused')).toBe(2);
});

test('whoever lost the claim changes nothing', async () => {
  const request = { key: newKey(), name: 'a', course: 'done', server } as const;
  const takeOver = () =>
    database.query(
      "UPDATE idempotency_claims SET holder = 'another' WHERE status IS NULL AND account_id = $1",
      [accountId],
    );
  const slow = await startServer();
  const { port } = slow.address() as AddressInfo;
  async function* body() {
    yield Buffer.from('{"name":');
    await expect.poll(takeOver).toMatchObject({ rowCount: 1 });
    yield Buffer.from('"a"}');
  }
  const { status, headers } = await send(`http://127.0.0.1:${port}/api/deeds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Course: 'done', 'Idempotency-Key': request.key },
    body: body(),
  });
  expect({ status, retryAfter: headers['retry-after'] }).toEqual({
    status: 409,
    retryAfter: expect.any(String),
  });
  expect(await deedsUnder(request.key)).toEqual([]);
  expect(await attempt(request)).toMatchObject({ status: 409, field: 'Idempotency-Key' });
});

test('bodies are compared by so many requests at once only', async () => {
  const shares = new Shares({ inAll: 1, perOwner: 1 });
  const narrow = await startServer(shares);
  const request = { key: newKey(), name: 'a', course: 'done', server: narrow } as const;
  await attempt(request);
  const giveBack = shares.take(accountId)!;
  expect(await attempt(request)).toMatchObject({ status: 429, retryAfter: expect.any(String) });
  // The length of the body alone shows that it is another one.
  expect(await attempt({ ...request, name: 'another' })).toMatchObject(OTHER);
  giveBack();
  expect(await attempt(request)).toMatchObject({ status: 201, isReplay: true });
  expect(shares.taken).toBe(0);
});

test('an answer that the new secret cannot open is not given again, and nothing is done again', async () => {
  const request = { key: newKey(), name: 'a', course: 'done' } as const;
  await attempt({ ...request, server });
  newSecret = new Secret('a new one');
  const changed = await startServer();
  newSecret = undefined;
  expect(await attempt({ ...request, server: changed })).toMatchObject({
    status: 409,
    retryAfter: undefined,
  });
  expect(await deedsUnder(request.key)).toHaveLength(1);
});
