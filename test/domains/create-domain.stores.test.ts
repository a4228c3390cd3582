import { expect, test } from 'vitest';
import { createDomain } from '../../src/domains/create-domain.ts';
import { findDomain, listDomainSummaries } from '../../src/domains/domain-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, CNAME_TARGETS } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const options = {
  database,
  newId,
  hostnameRules: { reserved: [], trialNames: [] },
  cnameTargets: CNAME_TARGETS,
};

const hostnamesOf = async (account: string) =>
  (await listDomainSummaries(database, account, 100, undefined)).map(({ hostname }) => hostname);

test('a domain waits for its verification, under its canonical name', async () => {
  const account = await addAccount(database);
  const domain = await createDomain(options, account, 1, 'Fresh.Example.COM.');
  expect(domain).toMatchObject({
    accountId: account,
    hostname: 'fresh.example.com',
    status: 'pending_verification',
    sslStatus: 'pending',
    cnameTarget: expect.stringMatching(/\.cname\.example\.net$/),
    verifiedAt: null,
  });
  expect(await findDomain(database, domain.id)).toEqual(domain);
});

test('exactly as many of fifty creations at once succeed as the plan allows', async () => {
  const account = await addAccount(database);
  const attempts = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => createDomain(options, account, 7, `limit${n}.example.com`)),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  for (const attempt of attempts) {
    if (attempt.status === 'rejected')
      expect(attempt.reason).toMatchObject({ code: 'VALIDATION_ERROR', options: { details: { limit: 7 } } });
  }
  expect(await hostnamesOf(account)).toHaveLength(7);
});

test('several accounts can register a hostname, each once', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => addAccount(database)));
  const register = (account: string) => createDomain(options, account, 5, 'contested.example.com');
  const domains = await Promise.all(accounts.map(register));
  expect(new Set(domains.map(({ cnameTarget }) => cnameTarget)).size).toBe(8);
  for (const account of accounts) {
    await expect(register(account)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The hostname contested.example.com is already registered.',
    });
  }
});

test('a hostname in another spelling is the same', async () => {
  const account = await addAccount(database);
  await createDomain(options, account, 5, 'bücher.example.com');
  const again = createDomain(options, account, 5, 'xn--BCHER-kva.example.com.');
  await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('deleting a domain makes room below the limit', async () => {
  const account = await addAccount(database);
  const first = await createDomain(options, account, 1, 'gone.example.com');
  await expect(createDomain(options, account, 1, 'next.example.com')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await database.query('DELETE FROM domains WHERE id = $1', [first.id]);
  await createDomain(options, account, 1, 'next.example.com');
  expect(await hostnamesOf(account)).toEqual(['next.example.com']);
});

test('a hostname that may not be registered takes no place', async () => {
  const account = await addAccount(database);
  await expect(createDomain(options, account, 1, '127.0.0.1')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(await hostnamesOf(account)).toEqual([]);
});
