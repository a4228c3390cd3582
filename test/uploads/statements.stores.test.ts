/** The cost of an upload in Postgres: a small upload waits for all of its statements. */
import { expect, test } from 'vitest';
import { type RelationWal, readWal, walPosition } from '../../tools/read-wal.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture } from './upload-fixture.ts';

const { database, upload } = await createUploadFixture();
/** The statements as they were sent, with BEGIN and COMMIT. */
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
  expect(beforeCommit.filter(isOf('INTO garbage'))).toEqual([]);
  expect(sent.filter(isOf('small_files')).filter(isOf('INSERT'))).toHaveLength(1);
});

test('an upload writes little to the log, and changes rows of domains and uploads without their indexes', async () => {
  const { hostname: domain } = await addVerifiedDomain(database, account);
  // The last ones each end the time of a kept generation.
  for (let n = 1; n <= 11; n++) await upload(account, { domain, urls: plainEntries(n) });
  await database.query('CREATE EXTENSION pg_walinspect');
  const written = async (urls: number) => {
    const from = await walPosition(database);
    await upload(account, { domain, urls: plainEntries(urls) });
    // Commits of all databases have no relation.
    return (await readWal(database, from, await walPosition(database))).filter(({ relation }) => relation);
  };
  const runs: RelationWal[][] = [];
  for (let n = 12; n < 24; n++) runs.push(await written(n));
  const sizes = runs.map((wal) => wal.reduce((sum, { bytes }) => sum + bytes, 0));
  // Others find a full page: an index is split, or a row moves to another page.
  const least = Math.min(...sizes);
  expect(least).toBeLessThan(5000);
  const wal = runs[sizes.indexOf(least)]!;
  const isHot = (table: string) => {
    const { updates, hotUpdates } = wal.find(({ relation }) => relation === table)!;
    return updates === 1 && hotUpdates === 1;
  };
  expect([isHot('domains'), isHot('uploads')]).toEqual([true, true]);
});
