/** A caller that is admitted, and whose session or key ends before the body has come. */
import { expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { sendLate } from '../support/send-late.ts';
import { runDashboard } from './running-dashboard.ts';

const { database, url, askWith, signIn } = await runDashboard();

const ENDS = {
  'their session': 'DELETE FROM sessions WHERE account_id = $1',
  'their membership': 'DELETE FROM members WHERE account_id = $1',
  'the key': 'UPDATE api_keys SET revoked_at = now() WHERE account_id = $1',
};

const CHANGES = [
  ['POST', 'webhooks', { url: 'https://receiver.example.com/', events: ['upload.published'] }],
  ['PATCH', 'webhooks/:id', { url: 'https://receiver.example.com/' }],
  ['PATCH', 'domains/:id', { guard: { maxRemovedPercent: 7 } }],
  ['POST', 'domains', { hostname: 'late.localhost' }],
  ['POST', 'sitemap/generate', { domain: 'own.localhost', urls: [{ loc: 'https://www.example.com/' }] }],
] as const;

const cases = CHANGES.flatMap(([method, path, body]) =>
  Object.entries(ENDS).map(([lost, statement]) => ({ method, path, lost, statement, body })),
);

/** Returns all rows that a change could leave. */
const rowsOf = async (accountId: string) =>
  (
    await database.query(
      `SELECT (SELECT json_agg(w ORDER BY id) FROM webhook_endpoints w WHERE account_id = $1) AS webhooks,
              (SELECT json_agg(d ORDER BY hostname) FROM domains d WHERE account_id = $1) AS domains,
              (SELECT count(*) FROM sitemaps m JOIN domains d ON d.id = m.domain_id WHERE account_id = $1) AS sitemaps`,
      [accountId],
    )
  ).rows;

test.each(cases)('$method $path changes nothing without $lost', async ({ method, path, body, statement }) => {
  const accountId = await addAccount(database);
  await database.query('DELETE FROM rate_limits');
  const cookie = await signIn(accountId);
  const ask = askWith(cookie);
  const own = { hostname: 'own.localhost' };
  const domain = (await ask('POST /dashboard/api/domains', { body: own })).json.data;
  const webhook = { url: 'https://first.example.com/', events: ['upload.published'] };
  const endpoint = (await ask('POST /dashboard/api/webhooks', { body: webhook })).json.data;
  const { key } = await createKey(database, newId, accountId, 'test');
  const isKey = statement.includes('api_keys');
  const address = `${url}${isKey ? '' : '/dashboard'}/api/${path.replace(':id', path.startsWith('domains') ? domain.id : endpoint.id)}`;
  const headers: Record<string, string> = isKey
    ? { 'X-API-Key': key }
    : { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  const before = await rowsOf(accountId);
  const status = await sendLate(address, { method, headers, body }, () =>
    database.query(statement, [accountId]),
  );
  expect(status).toBe(401);
  expect(await rowsOf(accountId)).toEqual(before);
});
