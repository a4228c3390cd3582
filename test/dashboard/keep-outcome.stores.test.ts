import { request as open } from 'node:http';
import { Router } from 'express';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { successAnswer } from '../../src/core/web/envelope.ts';
import { readMembers } from '../../src/core/web/json-body.ts';
import { answerOnce } from '../../src/edges/api/answer-once.ts';
import { attemptRoutes } from '../../src/edges/dashboard/attempt-routes.ts';
import { ATTEMPT_HEADER, keepOutcome } from '../../src/edges/dashboard/keep-outcome.ts';
import type { Once } from '../../src/edges/dashboard/session-authenticator.ts';
import { createClaims } from '../../src/features/idempotency/claims.ts';
import { Shares } from '../../src/platform/concurrency/shares.ts';
import { randomText } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { Secret } from '../../src/platform/secret.ts';
import { type Body, send } from '../service/support/send.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { once } from '../support/soon.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startViews } from './start-routes.ts';

const { database } = await createTestDatabase();
const [accountId, otherAccount] = [await addAccount(database), await addAccount(database)];
await database.query('CREATE TABLE deeds (id integer GENERATED ALWAYS AS IDENTITY, token text)');
const log = collectLog();

const COURSES = [
  ...(['done', 'refused', 'fails before', 'rolled back', 'fails after', 'unrecorded'] as const),
  'session over',
] as const;
type Course = (typeof COURSES)[number];
const LONG = Array.from({ length: 100 }, () => ({
  field: 'loc',
  value: '\u0001'.repeat(256),
  message: 'no',
}));

/** A process whose only route does a deed. The header `Course` chooses its outcome. */
function startProcess(secret = new Secret('for tests')) {
  const claims = createClaims({ database, secret, log });
  const ensureWritten = async () => {};
  const once = { claims, log, ensureWritten, comparisons: new Shares({ inAll: 9, perOwner: 9 }) };
  const bodyLimits = { maxBytes: 1_000_000, timeoutMs: 60_000 };
  const ofAccount: Once = (accountId, ...asked) =>
    answerOnce({ ...once, bodyLimits }, { accountId, keyId: null }, ...asked);
  const options = { claims, log, answerOnce: ofAccount };
  const deeds = Router().post('/dashboard/api/deeds', (request, response) =>
    keepOutcome(options, request.get('test-account')!, request, response, async (record) => {
      await readMembers(request, response, ['name'], 100_000);
      const course = request.get('course') as Course;
      const answer = await inTransaction(database, async (transaction) => {
        if (course === 'session over') throw new Refusal('UNAUTHORIZED', 'The session has ended.');
        if (course === 'fails before') throw new Error('a failure before');
        const token = request.get(ATTEMPT_HEADER) ?? null;
        const { rows } = await transaction.query(
          'INSERT INTO deeds (token) VALUES ($1) RETURNING id, token',
          [token],
        );
        if (course === 'refused') {
          throw new Refusal('VALIDATION_ERROR', 'refused', { details: { errors: LONG } });
        }
        const done = successAnswer(201, rows[0]);
        if (course !== 'unrecorded') await record(transaction, done);
        if (course === 'rolled back') throw new Error('a failure before COMMIT');
        return done;
      });
      if (course === 'fails after') throw new Error('a failure after COMMIT');
      return answer;
    }),
  );
  return startViews((signedIn) => [deeds, attemptRoutes({ claims, ensureWritten }, signedIn)]);
}
const processes = [await startProcess(), await startProcess()] as const;
const [first, second] = processes;

const headersOf = (token: string | undefined, course: Course, more: object = {}) => ({
  'Content-Type': 'application/json',
  'test-account': accountId,
  ...(token !== undefined && { [ATTEMPT_HEADER]: token }),
  course,
  ...more,
});

async function attempt(
  token: string | undefined,
  course: Course,
  at = first,
  more = {},
  body: Body = '{"name":"a"}',
) {
  const headers = headersOf(token, course, more);
  const got = await send(`${at.origin}/dashboard/api/deeds`, { method: 'POST', headers, body });
  return { status: got.status, json: JSON.parse(got.body.toString()) };
}
const outcomeOf = async (token: string, at = first, account = accountId) =>
  (await at.get(account, `attempts/${token}`)).json.data;
const deedsOf = async (token: string) =>
  (await database.query('SELECT id, token FROM deeds WHERE token = $1', [token])).rows;
const newToken = () => randomText(22);
const UNKNOWN = { state: 'unknown', status: null, answer: null };
const RUNNING = { state: 'running', status: null, answer: null };

test('in any order, at any process, whatever fails: a deed is done once, and its outcome is told', async () => {
  const arbitraryAttempt = fc.record({
    course: fc.constantFrom(...COURSES),
    at: fc.constantFrom(...processes),
  });
  const waves = fc.array(fc.array(arbitraryAttempt, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
  const property = fc.asyncProperty(waves, async (given) => {
    const token = newToken();
    for (const wave of given) {
      const before = await outcomeOf(token);
      const answers = await Promise.all(wave.map(({ course, at }) => attempt(token, course, at)));
      const [outcome, deeds] = [await outcomeOf(token, second), await deedsOf(token)];
      expect(deeds.length).toBeLessThanOrEqual(1);
      // An ended outcome stays the same.
      if (before.state === 'ended') expect(outcome).toEqual(before);
      if (outcome.state === 'ended' && outcome.status === 201) expect(deeds).toEqual([outcome.answer.data]);
      else expect(deeds).toEqual([]);
      for (const { status, json } of answers) {
        // Every client with an answer of the route got the outcome. All others were refused before the route, or failed.
        if (status === 201 || status === 422)
          expect(outcome).toEqual({ state: 'ended', status, answer: json });
        else expect([401, 409, 500]).toContain(status);
      }
      if (wave.length > 1 || before.state === 'ended') continue;
      const { course } = wave[0]!;
      const ends = { done: 201, unrecorded: 201, 'fails after': 201, refused: 422 } as Record<Course, number>;
      expect(outcome.status).toBe(ends[course] ?? null);
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(PROPERTY_RUNS / 4) });
});

test('an upload whose session ends under way can be sent again by the new session, with the same token', async () => {
  const token = newToken();
  expect(await attempt(token, 'session over')).toMatchObject({ status: 401 });
  expect(await outcomeOf(token)).toEqual(UNKNOWN);
  expect(await attempt(token, 'done')).toMatchObject({ status: 201 });
  expect(await deedsOf(token)).toHaveLength(1);
});

test('while it runs, it is said so, and a repeat is refused without its body', async () => {
  const token = newToken();
  const more = Promise.withResolvers<void>();
  async function* slow() {
    yield Buffer.from('{"name":');
    await more.promise;
    yield Buffer.from('"a"}');
  }
  const running = attempt(token, 'done', first, {}, slow());
  await expect.poll(() => outcomeOf(token, second)).toEqual(RUNNING);
  const repeat = open(`${second.origin}/dashboard/api/deeds`, {
    method: 'POST',
    headers: headersOf(token, 'done', { 'Content-Length': 1_000_000 }),
  });
  repeat.on('error', () => {}).flushHeaders();
  const [answered] = await once(repeat, 'response');
  expect(answered.statusCode).toBe(409);
  repeat.destroy();
  more.resolve();
  const { status, json } = await running;
  expect(await outcomeOf(token)).toEqual({ state: 'ended', status, answer: json });
  expect(await attempt(token, 'done', second)).toMatchObject({ status: 409 });
  expect(await deedsOf(token)).toEqual([json.data]);
});

test('a connection that ends before the body does publishes nothing, and that is kept', async () => {
  const token = newToken();
  const cut = open(`${first.origin}/dashboard/api/deeds`, {
    method: 'POST',
    headers: headersOf(token, 'done', { 'Content-Length': 100 }),
  });
  cut.on('error', () => {}).write('{"name":');
  await expect.poll(() => outcomeOf(token)).toEqual(RUNNING);
  cut.destroy();
  await expect.poll(async () => (await outcomeOf(token)).status).toBe(408);
  expect((await outcomeOf(token)).answer.error.message).toMatch(/^The connection ended before/);
  expect(await attempt(token, 'done')).toMatchObject({ status: 409 });
  expect(await deedsOf(token)).toEqual([]);
});

test('the token of a dead process is unknown again after its lease, and the upload is done then', async () => {
  const token = newToken();
  await database.query(
    `INSERT INTO idempotency_claims (account_id, request, holder, expires_at)
     VALUES ($1, 'attempt ' || $2, 'a dead process', now() + interval '1 hour')`,
    [accountId, token],
  );
  expect(await outcomeOf(token)).toEqual(RUNNING);
  expect(await attempt(token, 'done')).toMatchObject({ status: 409 });
  await database.query("UPDATE idempotency_claims SET expires_at = now() WHERE holder = 'a dead process'");
  expect(await outcomeOf(token)).toEqual(UNKNOWN);
  expect(await attempt(token, 'done')).toMatchObject({ status: 201 });
});

test('whoever lost the claim changes nothing, and leaves the outcome to the other', async () => {
  const token = newToken();
  const takeOver = () =>
    database.query(
      "UPDATE idempotency_claims SET holder = 'another' WHERE status IS NULL AND request = 'attempt ' || $1",
      [token],
    );
  async function* body() {
    yield Buffer.from('{"name":');
    await expect.poll(takeOver).toMatchObject({ rowCount: 1 });
    yield Buffer.from('"a"}');
  }
  expect(await attempt(token, 'done', first, {}, body())).toMatchObject({ status: 409 });
  expect(await deedsOf(token)).toEqual([]);
  expect(await outcomeOf(token)).toEqual(RUNNING);
});

test('without a token, an Idempotency-Key works as in the API; with both, the request is refused', async () => {
  const key = { 'Idempotency-Key': newToken() };
  const { json } = await attempt(undefined, 'done', first, key);
  expect(await attempt(undefined, 'done', second, key)).toMatchObject({ status: 201, json });
  expect(await attempt(newToken(), 'done', first, key)).toMatchObject({ status: 400 });
});

test.each(['short', 'a'.repeat(23), `${'a'.repeat(21)}-`, `${'a'.repeat(22)}, ${'b'.repeat(22)}`])(
  'a token that is none is refused: %s',
  async (token) => {
    expect(await attempt(token, 'done')).toMatchObject({ status: 400 });
    expect(await first.get(accountId, `attempts/${encodeURIComponent(token)}`)).toMatchObject({
      status: 400,
    });
  },
);

test.each(['%00', '%ff', 'ä'.repeat(22), "'; DROP TABLE deeds; --"])(
  'no path has a token that is none: %s',
  async (token) => {
    const path = token.startsWith('%') ? token : encodeURIComponent(token);
    expect([400, 404]).toContain((await first.get(accountId, `attempts/${path}`)).status);
  },
);

test('another account knows nothing of it, and may have the same token', async () => {
  const token = newToken();
  await attempt(token, 'refused');
  expect(await outcomeOf(token)).toMatchObject({ state: 'ended', status: 422 });
  expect(await outcomeOf(token, first, otherAccount)).toEqual(UNKNOWN);
  expect(await attempt(token, 'done', first, { 'test-account': otherAccount })).toMatchObject({
    status: 201,
  });
});

test('an outcome that the new secret cannot open is said to be unreadable', async () => {
  const token = newToken();
  await attempt(token, 'done');
  const changed = await startProcess(new Secret('a new one'));
  expect(await changed.get(accountId, `attempts/${token}`)).toMatchObject({ status: 409 });
});
