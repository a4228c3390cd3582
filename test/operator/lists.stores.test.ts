/** Lists of operators over all accounts: page by page, each row once, whatever changes meanwhile. */
import { expect, test } from 'vitest';
import { listKeys } from '../../src/features/accounts/key-store.ts';
import { listCertificatePage } from '../../src/features/certificates/certificate-list-store.ts';
import { findDomainIds } from '../../src/features/domains/change-any-domain.ts';
import { LISTED_STATUSES, listDomainSummaries } from '../../src/features/domains/domain-store.ts';
import { addAccount, addDomain, addKey, addServedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const accountId = await addAccount(database);

/** Reads all pages of `limit` rows. */
async function collect<Row extends { readonly position: string }>(
  read: (limit: number, after: string | undefined) => Promise<Row[]>,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let page: Row[];
  do {
    page = await read(limit, rows.at(-1)?.position);
    rows.push(...page);
  } while (page.length === limit);
  return rows;
}

test('certificates, those that expire first at the top, and those that fail', async () => {
  const days = [3, 1, 2, 1, null];
  for (const day of days) {
    const { id } = await addServedDomain(database, accountId);
    await database.query(
      `UPDATE certificates SET not_after = '2030-01-01'::timestamptz + $2 * interval '1 day',
              last_error = CASE WHEN $2 IS NULL OR $2 = 2 THEN 'refused' END WHERE domain_id = $1`,
      [id, day],
    );
  }
  for (const limit of [1, 2, 100]) {
    const all = await collect((most, after) => listCertificatePage(database, false, most, after), limit);
    expect(all.map(({ notAfter }) => notAfter?.getUTCDate())).toEqual([2, 2, 3, 4]);
    expect(new Set(all.map(({ domainId }) => domainId)).size).toBe(4);
    const failing = await collect((most, after) => listCertificatePage(database, true, most, after), limit);
    expect(failing.map(({ notAfter }) => notAfter?.getUTCDate()).sort()).toEqual([3, undefined]);
  }
});

test('domains by their status', async () => {
  for (const status of ['failed', 'active', 'failed']) {
    const { id } = await addDomain(database, accountId);
    await database.query('UPDATE domains SET status = $2 WHERE id = $1', [id, status]);
  }
  await addDomain(database, accountId);
  const counts = [];
  for (const status of LISTED_STATUSES) {
    const all = await listDomainSummaries(database, undefined, 100, undefined, null, status);
    const second = await listDomainSummaries(database, undefined, 100, all[0]!.position, null, status);
    expect(second).toEqual(all.slice(1));
    expect(await listDomainSummaries(database, accountId, 100, undefined, null, status)).toEqual(all);
    counts.push(all.length);
  }
  expect(counts).toEqual([1, 2, 6]);
});

test('keys of an account', async () => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await addKey(database, accountId));
  await addKey(database, await addAccount(database));
  // Many keys may be of the same moment.
  await database.query("UPDATE api_keys SET created_at = '2026-01-15' WHERE id = ANY($1)", [ids.slice(0, 3)]);
  const keys = await collect((limit, after) => listKeys(database, accountId, limit, after), 2);
  expect(keys.map(({ id }) => id)).toEqual([...ids.slice(0, 3).sort(), ...ids.slice(3)]);
});

test('hostnames become ids of domains of the account, and of no other', async () => {
  const [own, other] = [
    await addDomain(database, accountId),
    await addDomain(database, await addAccount(database)),
  ];
  expect(await findDomainIds(database, accountId, [own.hostname.toUpperCase()])).toEqual([own.id]);
  await expect(findDomainIds(database, accountId, [own.hostname, other.hostname])).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    options: { details: { field: 'domains[1]', value: other.hostname } },
  });
});
