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

async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  sent.length = 0;
  await work();
  return [...sent];
}

test('an upload takes no statement for the audit log: its history is elsewhere', async () => {
  const { hostname: domain } = await addVerifiedDomain(database, account);
  const first = await statementsOf(() => upload(account, { domain, urls: plainEntries(3) }));
  const second = await statementsOf(() => upload(account, { domain, urls: plainEntries(4) }));
  // As many as before there was an audit log.
  expect([first.length, second.length]).toEqual([24, 23]);
  expect([...first, ...second].filter((text) => text.includes('audit_events'))).toEqual([]);
});
