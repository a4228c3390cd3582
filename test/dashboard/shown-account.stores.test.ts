import { expect, test } from 'vitest';
import { addMember } from '../../src/features/accounts/user-store.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { addSession, addUser } from '../support/people.ts';
import { runDashboard } from './running-dashboard.ts';

const { database, origin, askWith } = await runDashboard();

test('a page of one account reads and changes nothing once the session has another one', async () => {
  const [first, second] = [await addAccount(database), await addAccount(database)];
  const userId = await addUser(database, first);
  await addMember(database, { accountId: second, userId, role: 'owner' });
  const { hostname } = await addDomain(database, second);
  const { token } = await addSession(database, { accountId: first, userId });
  const ask = askWith(`waypost-${new URL(origin).port}=${token}`);
  const headers = { 'Waypost-Account': first };

  expect((await ask('GET /dashboard/api/keys', { headers })).status).toBe(200);
  // In another tab.
  expect((await ask('POST /dashboard/api/session', { body: { accountId: second }, headers })).status).toBe(
    200,
  );

  const count = async (table: string) =>
    (await database.query(`SELECT FROM ${table} WHERE account_id = $1`, [second])).rowCount;
  const webhook = { url: 'https://hooks.example.com/', events: ['upload.published'] };
  const upload = { domain: hostname, urls: [{ loc: 'https://www.example.com/' }] };
  for (const [route, body] of [
    ['GET /dashboard/api/keys'],
    ['GET /dashboard/api/domains'],
    ['POST /dashboard/api/keys', { name: 'x' }],
    ['POST /dashboard/api/webhooks', webhook],
    ['POST /dashboard/api/domains', { hostname: 'maps.example.com' }],
    ['POST /dashboard/api/sitemap/generate', upload],
  ] as const) {
    const refused = await ask(route, { headers, ...(body && { body }) });
    expect({ route, status: refused.status, details: refused.json.error?.details }).toEqual({
      route,
      status: 409,
      details: { field: 'Waypost-Account' },
    });
  }
  expect([await count('api_keys'), await count('webhook_endpoints'), await count('domains')]).toEqual([
    0, 0, 1,
  ]);

  // These routes concern the person: their session, and its end.
  const session = await ask('GET /dashboard/api/session', { headers });
  expect(session.json.data.account.id).toBe(second);
  expect((await ask('GET /dashboard/api/keys', { headers: { 'Waypost-Account': second } })).status).toBe(200);
  expect((await ask('GET /dashboard/api/keys')).status).toBe(200);
});
