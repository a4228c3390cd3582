import { expect, test } from 'vitest';
import {
  findDomainByHostname,
  findDomainSummary,
  listDomainSummaries,
} from '../../src/domains/domain-store.ts';
import { getOwnDomain, getOwnDomainByHostname } from '../../src/domains/own-domain.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

const { database, upload } = await createUploadFixture();

test('pages are newest first, without gaps or repetitions, also while domains are added', async () => {
  const account = await addAccount(database);
  const added: string[] = [];
  for (let n = 0; n < 7; n++) added.unshift((await addDomain(database, account)).id);
  await addDomain(database, await addAccount(database));
  const seen: string[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await listDomainSummaries(database, account, 3, before);
    seen.push(...page.map(({ id }) => id));
    before = page.at(-1)?.position;
    if (page.length < 3) break;
    await addDomain(database, account);
  }
  expect(seen).toEqual(added);
});

test('a summary adds up live uploads and ignores replaced ones', async () => {
  const account = await addAccount(database);
  const { id, hostname } = await addVerifiedDomain(database, account);
  expect(await findDomainSummary(database, id)).toMatchObject({
    urlCount: 0,
    sitemapCount: 0,
    lastUpdated: null,
  });
  await upload(account, { domain: hostname, urls: plainEntries(9) });
  await upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls: plainEntries(1500) });
  await upload(account, { domain: hostname, sitemapName: 'blog', urls: plainEntries(20) });
  const expected = { urlCount: 1520, sitemapCount: 3, lastUpdated: new Date('2026-01-15T10:00:00Z') };
  expect(await findDomainSummary(database, id)).toMatchObject(expected);
  expect(await listDomainSummaries(database, account, 10, undefined)).toMatchObject([expected]);
});

test("another account's domain is forbidden by id, and absent by hostname", async () => {
  const [owner, other] = [await addAccount(database), await addAccount(database)];
  const domain = await addDomain(database, owner);
  expect(await getOwnDomain(database, owner, domain.id)).toEqual(domain);
  expect(await getOwnDomainByHostname(database, owner, domain.hostname.toUpperCase())).toEqual(domain);
  await expect(getOwnDomain(database, other, domain.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(getOwnDomain(database, owner, 'domain_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(getOwnDomainByHostname(database, other, domain.hostname)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(getOwnDomainByHostname(database, owner, 'not a name')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await findDomainByHostname(database, other, domain.hostname)).toBeUndefined();
});
