/** The check of a key file that its owner asks for, and the keys in our own site. */
import { expect, test } from 'vitest';
import { readSite } from '../../src/features/sites/read-site.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { verifyPageHost } from '../../src/features/submission/verify-page-host.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { database, pages, storage, endpoint } = world;
const { ask, openChange } = world.options;
const checkTurns = new Turns(20);
type Domain = Awaited<ReturnType<typeof world.addDomain>>;
const verify = (domain: Domain, host: unknown) =>
  verifyPageHost({ database, ask, checkTurns, openChange }, domain, host);

test('a host gets a key when its owner asks, and is verified as soon as the file is there', async () => {
  const domain = await world.addDomain();
  const before = await verify(domain, pages.origin);
  expect(before).toMatchObject({ host: pages.host, scheme: 'http', isVerified: false, queued: 0 });
  expect(before.problem).toContain('status 404');
  await world.putKey(domain, pages);
  expect(await verify(domain, pages.host)).toMatchObject({
    key: before.key,
    isVerified: true,
    problem: null,
  });
});

test('what waits is submitted right after it', async () => {
  const domain = await world.addDomain();
  await world.change(domain, `${pages.origin}/1`);
  await world.workOff();
  expect((await world.hosts(domain))[0]).toMatchObject({ isVerified: false, pausedUntil: expect.any(Date) });
  await world.putKey(domain, pages);
  await verify(domain, pages.host);
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/1`]);
});

test('a host whose file is gone is not verified any more', async () => {
  const domain = await world.addDomain();
  await verify(domain, pages.origin);
  await world.putKey(domain, pages);
  await verify(domain, pages.host);
  pages.files.clear();
  expect(await verify(domain, pages.host)).toMatchObject({ isVerified: false });
});

test('our own site has all keys of the domain, and none of others', async () => {
  const domain = await world.addDomain();
  const other = await world.addDomain();
  await verify(other, pages.origin);
  expect((await readSite(storage, domain.hostname))?.indexNowKeys ?? []).toEqual([]);
  await world.change(domain, `${pages.origin}/1`, `${world.otherPages.origin}/1`);
  await world.workOff();
  const keys = (await world.hosts(domain)).map(({ key }) => key);
  expect(keys).toHaveLength(2);
  expect((await readSite(storage, domain.hostname))?.indexNowKeys).toEqual(keys);
});

test('a domain that does not submit, and one with too many hosts, are refused', async () => {
  const domain = await world.addDomain();
  await world.change(domain, ...Array.from({ length: 100 }, (_, n) => `https://h${n}.example.com/`));
  await expect(verify(domain, pages.host)).rejects.toMatchObject({ code: 'CONFLICT' });
  await switchSubmission({ database, isConfigured: true }, domain, false);
  await expect(verify(domain, pages.host)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(verify(domain, 'no host')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
