/** Keys, members and the audit log in the running API, as a browser and a pipeline use them. */
import { expect, test } from 'vitest';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import { revokeKeyAs } from '../../src/features/accounts/change-keys.ts';
import { addAccount } from '../support/accounts.ts';
import { addSession, addUser } from '../support/people.ts';
import { runDashboard } from './running-dashboard.ts';

const { database, origin, ask, askWith, signIn } = await runDashboard();

test('a key of the dashboard works at once, and is refused at once when it is revoked; the log has who did what', async () => {
  const accountId = await addAccount(database);
  const browser = askWith(await signIn(accountId));
  const { key, id } = (await browser('POST /dashboard/api/keys', { body: { name: 'deploy' } })).json.data;
  const headers = { 'X-API-Key': key };
  const added = await ask('POST /api/domains', { headers, body: { hostname: 'first.localhost' } });
  expect(added.status).toBe(201);
  const domain = `/api/domains/${added.json.data.id}`;
  await browser(`PATCH /dashboard${domain}`, { body: { guard: null } });
  expect((await browser(`DELETE /dashboard/api/keys/${id}`)).status).toBe(200);
  expect((await ask('GET /api/domains', { headers })).status).toBe(401);

  const { data } = (await browser('GET /dashboard/api/audit')).json;
  const told = data.map(({ action, subject, actor, address }: Record<string, unknown>) => {
    return { action, subject, actor, address };
  });
  const { name } = (await browser('GET /dashboard/api/session')).json.data.user;
  const by = { actor: { kind: 'user', name }, address: '127.0.0.1' };
  expect(told).toEqual([
    { action: 'key.revoked', subject: 'deploy', ...by },
    { action: 'domain.changed', subject: 'first.localhost', ...by },
    {
      ...{ action: 'domain.added', subject: 'first.localhost' },
      ...{ actor: { kind: 'key', name: 'deploy' }, address: '127.0.0.1' },
    },
    { action: 'key.created', subject: 'deploy', ...by },
    expect.objectContaining({ action: 'session.started' }),
  ]);
  expect(JSON.stringify(data)).not.toContain(key.slice(8));
});

test('a key that the operator revokes is refused at once, too', async () => {
  const accountId = await addAccount(database);
  const browser = askWith(await signIn(accountId));
  const { key, id } = (await browser('POST /dashboard/api/keys', { body: { name: 'x' } })).json.data;
  const headers = { 'X-API-Key': key };
  expect((await ask('GET /api/domains', { headers })).status).toBe(200);
  await revokeKeyAs(database, operatorOf(accountId), id);
  expect((await ask('GET /api/domains', { headers })).status).toBe(401);
});

test('a member who is removed is out at once, wherever signed in', async () => {
  const accountId = await addAccount(database);
  const owner = askWith(await signIn(accountId));
  const userId = await addUser(database, accountId, { role: 'member', name: 'Grace' });
  const name = `waypost-${new URL(origin).port}`;
  const browsers: ReturnType<typeof askWith>[] = [];
  for (let n = 0; n < 2; n++) {
    const { token } = await addSession(database, { accountId, userId });
    browsers.push(askWith(`${name}=${token}`));
  }
  const statuses = async () =>
    Promise.all(browsers.map(async (browser) => (await browser('GET /dashboard/api/plan')).status));
  expect(await statuses()).toEqual([200, 200]);
  expect((await owner(`DELETE /dashboard/api/members/${userId}`)).status).toBe(200);
  expect(await statuses()).toEqual([401, 401]);
});
