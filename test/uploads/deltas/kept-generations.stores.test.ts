/** The generations that are kept beside deltas (docs/decisions/0058). */
import { beforeEach, expect, test } from 'vitest';
import type { Domain } from '../../../src/features/domains/domain.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { plainEntries } from '../batches.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database } = fixture;
const account = await addAccount(database);
let domain: Domain;
let made: number;
beforeEach(async () => {
  domain = await addServedDomain(database, account);
  made = 0;
});

const upload = () => fixture.upload(account, { domain: domain.hostname, urls: plainEntries(2 + made++) });
const change = () =>
  fixture.delta(account, {
    domain: domain.hostname,
    upsert: [{ loc: 'https://www.example.com/', priority: (made++ % 10) / 10 }],
  });

/** Returns the time for which each replaced generation is kept, in words. */
async function kept(): Promise<Record<number, string>> {
  const { rows } = await database.query<{ seq: number; time: string }>(
    `SELECT u.seq, CASE WHEN g.collect_after = 'infinity' THEN 'kept'
                        WHEN g.collect_after > now() + interval '23 hours' THEN 'a day'
                        WHEN g.collect_after > now() + interval '4 minutes' THEN 'minutes' ELSE 'due' END AS time
       FROM uploads u JOIN garbage g ON g.prefix = 'uploads/' || u.id || '/' WHERE u.domain_id = $1 ORDER BY u.seq`,
    [domain.id],
  );
  return Object.fromEntries(rows.map(({ seq, time }) => [seq, time]));
}

/** The published generations become older. */
const anHourLater = () =>
  database.query("UPDATE uploads SET published_at = published_at - interval '1 hour' WHERE domain_id = $1", [
    domain.id,
  ]);

test('of the deltas between two uploads only the last stays, and the last of each hour for a day', async () => {
  await upload();
  await change();
  await change();
  await anHourLater();
  await change();
  await change();
  await upload();
  // 1 is the upload, 3 the last delta of its hour, 5 the last delta before the next upload.
  expect(await kept()).toEqual({ 1: 'kept', 2: 'minutes', 3: 'a day', 4: 'minutes', 5: 'kept' });
});

test('many deltas end no upload, and an upload goes with the delta before it', async () => {
  await upload();
  for (let i = 0; i < 110; i++) await change();
  await upload();
  const before = await kept();
  expect(before[1]).toBe('kept');
  expect(before[111]).toBe('kept');
  for (let i = 0; i < 8; i++) await upload();
  expect(await kept()).toMatchObject({ 1: 'kept', 111: 'kept', 112: 'kept' });
  await upload();
  expect(await kept()).toMatchObject({ 1: 'a day', 111: 'kept', 112: 'kept' });
  await upload();
  expect(await kept()).toMatchObject({ 111: 'a day', 112: 'a day', 113: 'kept' });
});

test('a delta with more files than the next one stays for a day, because crawlers may hold its index', async () => {
  const sizeLimit = 'gsc-optimized';
  await fixture.upload(account, { domain: domain.hostname, sizeLimit, urls: plainEntries(2000) });
  const one = 'https://www.example.com/one-more';
  const delta = (members: object) => fixture.delta(account, { domain: domain.hostname, ...members });
  const files = async () => {
    const { rows } = await database.query(
      'SELECT file_count FROM uploads WHERE domain_id = $1 ORDER BY seq',
      [domain.id],
    );
    return rows.map(({ file_count }) => file_count);
  };
  await delta({ upsert: [{ loc: one }] });
  await delta({ upsert: [{ loc: one, priority: 0.5 }] });
  await delta({ remove: [one] });
  await change();
  expect(await files()).toEqual([2, 3, 3, 2, 3]);
  expect(await kept()).toEqual({ 1: 'kept', 2: 'minutes', 3: 'a day', 4: 'minutes' });
});
