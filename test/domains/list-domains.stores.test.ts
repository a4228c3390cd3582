import { expect, test, vi } from 'vitest';
import { createListDomains } from '../../src/features/domains/open-domains.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();
/** The real one, watched. */
const query = vi.spyOn(database, 'query');
const countReads = () =>
  query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('"list-domains"')).length;
const listDomains = createListDomains(database);

test('identical reads that come while one is under way share the next one', async () => {
  const account = await addAccount(database);
  const first = await addDomain(database, account);
  let reads: Promise<readonly { readonly id: string }[]>[] = [];
  await inTransaction(database, async (transaction) => {
    await transaction.query('LOCK TABLE sitemaps');
    reads = [listDomains(account, 10, undefined)];
    await untilStatementWaits(database);
    for (let n = 0; n < 30; n++) reads.push(listDomains(account, 10, undefined));
  });
  for (const page of await Promise.all(reads)) expect(page).toMatchObject([{ id: first.id }]);
  expect(countReads()).toBe(2);
  const second = await addDomain(database, account);
  expect(await listDomains(account, 10, undefined)).toMatchObject([{ id: second.id }, { id: first.id }]);
});

test('reads of another account, limit or position are not shared', async () => {
  const [one, two] = [await addAccount(database), await addAccount(database)];
  const domains = [];
  for (const account of [one, one, two]) domains.push(await addDomain(database, account));
  const pages = await Promise.all([
    listDomains(one, 10, undefined),
    listDomains(two, 10, undefined),
    listDomains(one, 1, undefined),
    listDomains(one, 10, (await listDomains(one, 1, undefined))[0]!.position),
  ]);
  const idsOf = (page: readonly { readonly id: string }[]) => page.map(({ id }) => id);
  const [first, second, third] = domains.map(({ id }) => id);
  expect(pages.map(idsOf)).toEqual([[second, first], [third], [second], [first]]);
});
