/** The check of a key file that its owner asks for, and the keys in our own site. */
import { expect, test } from 'vitest';
import { readSite } from '../../src/features/sites/read-site.ts';
import { findNextBatches, markSending } from '../../src/features/submission/batch-store.ts';
import { recordVerification } from '../../src/features/submission/host-store.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { verifyPageHost } from '../../src/features/submission/verify-page-host.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import type { ScriptedAnswer } from '../support/indexnow-endpoint.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { database, pages, storage, endpoint } = world;
const { ask, openChange } = world.options;
const checkTurns = new Turns(20);
type Domain = Awaited<ReturnType<typeof world.addDomain>>;
const verify = (domain: Domain, host: unknown) =>
  verifyPageHost({ database, ask, checkTurns, openChange }, domain, host);

/** Does `work`, and keeps its result back until `giveBack`. `isDone`: whether the result is there. */
function keptBack<Given, Result>(work: (given: Given) => Promise<Result>) {
  const [done, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const kept = async (given: Given) => {
    const result = await work(given);
    done.resolve();
    await back.promise;
    return result;
  };
  return { kept, isDone: done.promise, giveBack: back.resolve };
}

/** A domain with one changed URL, and the turn of a worker. `isVerified`: the key file of its host was found. */
async function takenHost({ isVerified }: { isVerified: boolean }) {
  const domain = await world.addDomain();
  await world.change(domain, `${pages.origin}/1`);
  if (isVerified) {
    await world.putKey(domain, pages);
    await verify(domain, pages.host);
  }
  const [host] = await world.take();
  return { domain, host: host! };
}

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

test('an owner who first named only the host can say that its pages have no HTTPS', async () => {
  const domain = await world.addDomain();
  const before = await verify(domain, pages.host);
  expect(before).toMatchObject({ scheme: 'https', isVerified: false });
  await world.putKey(domain, pages);
  const { key } = before;
  expect(await verify(domain, pages.origin)).toMatchObject({ key, scheme: 'http', isVerified: true });
  // Its next page has HTTPS, so the file is expected there.
  await world.change(domain, `https://${pages.host}/1`);
  expect(await world.hosts(domain)).toMatchObject([{ key, scheme: 'https', isVerified: false }]);
});

test('a host whose file was found at https stays there, whatever its owner names', async () => {
  const domain = await world.addDomain();
  await verify(domain, pages.host);
  await database.query('UPDATE indexnow_hosts SET verified_at = now()');
  expect(await verify(domain, pages.origin)).toMatchObject({ scheme: 'https' });
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

test.each<[string, ScriptedAnswer, number | null]>([
  ['429 with Retry-After', { status: 429, headers: { 'Retry-After': '7200' } }, 429],
  ['no answer', 'reset', null],
])('after %s, a check that finds the file does not end the wait', async (_, answer, lastStatus) => {
  const { domain, host } = await takenHost({ isVerified: true });
  endpoint.script(answer);
  await world.work(host);
  const [waiting] = await world.hosts(domain);
  expect(waiting).toMatchObject({ isVerified: true, lastStatus, pausedUntil: expect.any(Date) });
  expect(await verify(domain, pages.host)).toEqual(waiting);
  await world.workOff();
  expect(endpoint.submissions).toHaveLength(1);
  await world.pass(domain, 3);
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/1`]);
});

test('a check does not shorten the pause between two requests', async () => {
  const { domain, host } = await takenHost({ isVerified: true });
  await world.work(host, { pauseMs: 60_000 });
  await world.change(domain, `${pages.origin}/2`);
  await verify(domain, pages.host);
  expect(await world.take()).toEqual([]);
});

test('a check ends the wait of a host whose URLs are refused: its owner has mended it', async () => {
  const { domain, host } = await takenHost({ isVerified: true });
  await database.query('UPDATE indexnow_hosts SET refusals = 7');
  endpoint.script({ status: 413 });
  await world.work(host);
  await world.change(domain, `${pages.origin}/2`);
  expect(await world.hosts(domain)).toMatchObject([{ lastStatus: 413, pausedUntil: expect.any(Date) }]);
  expect(await verify(domain, pages.host)).toMatchObject({ problem: null, pausedUntil: null });
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/2`]);
});

test('a host whose file is gone is not verified any more', async () => {
  const domain = await world.addDomain();
  await verify(domain, pages.origin);
  await world.putKey(domain, pages);
  await verify(domain, pages.host);
  pages.files.clear();
  expect(await verify(domain, pages.host)).toMatchObject({ isVerified: false });
});

test.each([
  ['right', true],
  ['wrong', false],
])(
  'a worker that checks the host beside its owner changes nothing: the file is %s now',
  async (_, isRight) => {
    const { domain, host } = await takenHost({ isVerified: false });
    const { kept, isDone, giveBack } = keptBack(ask);
    const working = world.work(host, { ask: kept });
    await isDone;
    if (isRight) await world.putKey(domain, pages);
    const verified = await verify(domain, pages.host);
    expect(verified).toMatchObject({ isVerified: isRight, pausedUntil: null });
    giveBack();
    await working;
    expect(await world.hosts(domain)).toEqual([verified]);
    await world.workOff();
    expect(endpoint.accepted()).toEqual(isRight ? [`${pages.origin}/1`] : []);
  },
);

test('a batch that is being sent at that moment is sent once', async () => {
  const { domain, host } = await takenHost({ isVerified: true });
  const { kept, isDone, giveBack } = keptBack(ask);
  const working = world.work(host, { ask: kept });
  await isDone;
  expect(await verify(domain, pages.host)).toMatchObject({ isVerified: true, queued: 1 });
  await world.workOff();
  giveBack();
  await working;
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/1`]);
  expect(await world.hosts(domain)).toMatchObject([{ isVerified: true, queued: 0, lastStatus: 200 }]);
});

test('a worker that has not begun to send leaves the batch to the next one', async () => {
  const { domain, host } = await takenHost({ isVerified: true });
  const { kept, isDone, giveBack } = keptBack((key: string) => storage.get(key));
  const working = world.work(host, { storage: { get: kept } });
  await isDone;
  await verify(domain, pages.host);
  giveBack();
  await working;
  expect(endpoint.submissions).toEqual([]);
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/1`]);
});

test('a batch that is marked while the verification waits for the host is not taken away', async () => {
  const { host } = await takenHost({ isVerified: true });
  const verifying = await inTransaction(database, async (transaction) => {
    const batches = await findNextBatches(transaction, host);
    await markSending(transaction, host, batches);
    const promise = inTransaction(database, (other) => recordVerification(other, host, null, 0));
    await untilStatementWaits(database);
    return { promise };
  });
  await verifying.promise;
  expect(await world.take()).toEqual([]);
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
