/** An account that has one of each thing. */
import { randomText } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import type { Ask } from './running-dashboard.ts';

/** `mark`: stands in everything. Returns what has no id of the common form. */
export async function fillAccount(
  database: Database,
  accountId: string,
  ask: Ask,
  mark: string,
): Promise<string[]> {
  const hostname = `${mark}.localhost`;
  const attempt = randomText(22);
  const done = [
    await ask('POST /dashboard/api/domains', { body: { hostname } }),
    await ask('POST /dashboard/api/sitemap/generate', {
      headers: { 'Waypost-Attempt': attempt },
      body: { domain: hostname, urls: [{ loc: `https://www.example.com/${mark}` }] },
    }),
    await ask('POST /dashboard/api/webhooks', {
      body: { url: `https://${mark}.example.com/`, events: ['upload.published'] },
    }),
    await ask('POST /dashboard/api/keys', { body: { name: mark } }),
    await ask('POST /dashboard/api/members/invitations', { body: { role: 'owner', note: mark } }),
  ];
  const refused = done.filter(({ status }) => status >= 300);
  if (refused.length > 0) throw new Error(refused.map(({ text }) => text).join());
  await database.query(
    'UPDATE users SET name = $2 WHERE id IN (SELECT user_id FROM members WHERE account_id = $1)',
    [accountId, mark],
  );
  return [attempt, done.at(-1)!.json.data.id];
}
