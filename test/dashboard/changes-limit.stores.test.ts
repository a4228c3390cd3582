import { expect, test } from 'vitest';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import { createKeyAs } from '../../src/features/accounts/change-keys.ts';
import { CHANGES_OF_PEOPLE } from '../../src/features/accounts/rate-limits.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { addSession, addUser } from '../support/people.ts';
import { type Ask, runDashboard } from './running-dashboard.ts';

const { database, origin, ask, askWith } = await runDashboard();

async function memberOf(accountId: string): Promise<Ask> {
  const { token } = await addSession(database, { accountId, userId: await addUser(database, accountId) });
  return askWith(`waypost-${new URL(origin).port}=${token}`);
}

const changes = async (person: Ask, count: number) => {
  const statuses = [];
  for (let n = 0; n < count; n++) {
    statuses.push((await person('POST /dashboard/api/domains', { body: { hostname: 5 } })).status);
  }
  return statuses;
};

test('changes by all people of an account count for its plan, beyond some that are always allowed', async () => {
  const accountId = await addAccount(database, 'free');
  const [first, second] = [await memberOf(accountId), await memberOf(accountId)];
  const { key } = await createKeyAs({ database, newId }, operatorOf(accountId), {
    name: 'x',
    expiresAt: null,
  });
  const byKey = () => ask('GET /api/domains', { headers: { 'X-API-Key': key } });
  for (let n = 0; n < 3; n++) expect((await byKey()).headers.get('ratelimit-remaining')).toBe(String(4 - n));

  expect(await changes(first, CHANGES_OF_PEOPLE - 5)).toEqual(Array(CHANGES_OF_PEOPLE - 5).fill(422));
  expect((await byKey()).status).toBe(429);
  expect(await changes(second, 7)).toEqual([...Array(5).fill(422), 429, 429]);
  const refused = await first('POST /dashboard/api/domains', { body: { hostname: 'maps.example.com' } });
  expect(refused.json.error.message).toMatch(/^Too many requests: 20 a minute are allowed/);
  // Pages go on.
  expect((await first('GET /dashboard/api/domains')).status).toBe(200);
  expect((await second('GET /dashboard/api/session')).status).toBe(200);
});

test('a person who looks at a file takes no request from the programs of the account, and may still publish', async () => {
  const accountId = await addAccount(database, 'free');
  const person = await memberOf(accountId);
  const key = { name: 'x', expiresAt: null };
  const { key: text } = await createKeyAs({ database, newId }, operatorOf(accountId), key);
  for (let n = 0; n < CHANGES_OF_PEOPLE + 1; n++) {
    const body = { urls: [{ loc: 'https://www.example.com/' }] };
    expect((await person('POST /dashboard/api/uploads/preview', { body })).status).toBe(200);
  }
  expect(await changes(person, 1)).toEqual([422]);
  const { headers } = await ask('GET /api/domains', { headers: { 'X-API-Key': text } });
  // One of five is the change, and one is this request.
  expect(headers.get('ratelimit-remaining')).toBe('3');
});

test('a plan that allows more is the limit', async () => {
  const accountId = await addAccount(database, 'pro');
  expect(await changes(await memberOf(accountId), 101)).toEqual([...Array(100).fill(422), 429]);
});
