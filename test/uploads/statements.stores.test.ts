/** What an upload costs Postgres: a small one waits for all of its statements. */
import { expect, test } from 'vitest';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture } from './upload-fixture.ts';

const { database, upload } = await createUploadFixture();
/** As they were sent, BEGIN and COMMIT included. */
const sent: string[] = [];
database.on('connect', (client) => {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    const [given] = args as [string | { readonly text: string }];
    sent.push(typeof given === 'string' ? given : given.text);
    return query(...args);
  }) as typeof client.query;
});
const account = await addAccount(database);
// With its key.
await upload(account, {
  domain: (await addVerifiedDomain(database, account)).hostname,
  urls: plainEntries(1),
});

async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  sent.length = 0;
  await work();
  return [...sent];
}

test('an upload takes no statement for the audit log: its history is elsewhere', async () => {
  const { hostname: domain } = await addVerifiedDomain(database, account);
  const first = await statementsOf(() => upload(account, { domain, urls: plainEntries(3) }));
  const second = await statementsOf(() => upload(account, { domain, urls: plainEntries(4) }));
  expect([first.length, second.length]).toEqual([23, 23]);
  expect([...first, ...second].filter((text) => text.includes('audit_events'))).toEqual([]);
});

test('uploads that come together share their statements', async () => {
  const domains = await Promise.all(Array.from({ length: 40 }, () => addVerifiedDomain(database, account)));
  const uploads = (urls: number) =>
    Promise.all(domains.map(({ hostname: domain }) => upload(account, { domain, urls: plainEntries(urls) })));
  await uploads(3);
  const statements = await statementsOf(() => uploads(4));
  // Some three groups and 100 statements. On a busy machine they come in more groups; alone, forty take over 1,000.
  expect(statements.length).toBeLessThan(700);
});

test('an upload of small files makes none for its prefix, nor any before it is published', async () => {
  const { hostname: domain } = await addVerifiedDomain(database, account);
  const sent = await statementsOf(() => upload(account, { domain, urls: plainEntries(3) }));
  const isOf = (table: string) => (text: string) => text.includes(table);
  // The first two find the domain.
  expect(sent.findIndex(isOf('BEGIN'))).toBeLessThanOrEqual(2);
  const beforeCommit = sent.slice(0, sent.findIndex(isOf('COMMIT')));
  expect(beforeCommit.filter(isOf('garbage'))).toEqual([]);
  expect(sent.filter(isOf('small_files')).filter(isOf('INSERT'))).toHaveLength(1);
});
