/** The sums in the rows of domains, after whatever changes live uploads. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runBackfills } from '../../src/core/schema/run-backfills.ts';
import {
  findDomainCounts,
  findStoredBytes,
  sumAccountCounts,
} from '../../src/features/domains/domain-counts-store.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { rollBack } from '../../src/features/uploads/publishing/roll-back.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { casesOf } from '../support/property-runs.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture, DAY_MS } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;

const SUMS = `
  SELECT count(*) AS sitemaps, coalesce(sum(url_count), 0)::bigint AS urls, coalesce(sum(file_count), 0)::bigint AS files,
         coalesce(sum(gzip_bytes), 0)::bigint AS "gzipBytes"
    FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = $1`;

/** The sitemap, or the generation, is not there, or is live. */
function ignoreAbsence(error: unknown): void {
  if (!(error instanceof Refusal && ['NOT_FOUND', 'CONFLICT'].includes(error.code))) throw error;
}

test('they are what sitemaps add up to, and nobody adds up while they are true', async () => {
  const account = await addAccount(database, 'enterprise');
  const uploader = await fixture.uploaderOf(account);
  const step = fc.oneof(
    fc.record({ upload: fc.constantFrom('', 'a', 'b'), urls: fc.constantFrom(1, 30, 1200) }),
    fc.record({ remove: fc.constantFrom('', 'a', 'b') }),
    fc.record({ back: fc.constantFrom('', 'a', 'b') }),
    // A process of the version before this one.
    fc.constant({ old: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { id, hostname } = await addVerifiedDomain(database, account);
      for (const one of steps) {
        if ('upload' in one) {
          const named = one.upload === '' ? {} : { sitemapName: one.upload };
          await fixture.upload(account, {
            domain: hostname,
            urls: plainEntries(one.urls),
            force: true,
            ...named,
          });
        } else if ('remove' in one) {
          const options = { openChange: fixture.options.openChange, keepReplacedMs: DAY_MS };
          await deleteSitemap(options, { id, hostname }, one.remove).catch(ignoreAbsence);
        } else if ('back' in one) {
          await rollBack(fixture.options, uploader, { id, hostname }, one.back, 1, {
            ifGeneration: undefined,
          }).catch(ignoreAbsence);
        } else {
          await database.query(`UPDATE domains SET generation = nextval('site_generations') WHERE id = $1`, [
            id,
          ]);
        }
        const { rows } = await database.query(SUMS, [id]);
        expect((await findDomainCounts(database, [id])).get(id)).toEqual(rows[0]);
        const { rows: stored } = await database.query(
          'SELECT counted_generation = generation AS counted, stored_bytes AS bytes FROM domains WHERE id = $1',
          [id],
        );
        expect(stored[0].bytes).toBe(rows[0].gzipBytes);
        if ('upload' in one) expect(stored[0].counted).toBe(true);
        const { rows: sums } = await database.query(
          'SELECT sum(stored_bytes)::bigint AS bytes FROM domains WHERE account_id = $1',
          [account],
        );
        expect((await findStoredBytes(database, [account])).get(account)).toBe(sums[0].bytes);
      }
    }),
    { numRuns: casesOf(15) },
  );
  const { rows } = await database.query(
    `SELECT count(*) AS sitemaps, coalesce(sum(u.url_count), 0)::bigint AS urls, coalesce(sum(u.file_count), 0)::bigint AS files
       FROM domains d JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id WHERE d.account_id = $1`,
    [account],
  );
  expect(await sumAccountCounts(database, account)).toMatchObject(rows[0]);

  await database.query(`UPDATE backfills SET done_at = NULL WHERE name = 'domains.counts'`);
  await runBackfills({ database, log: collectLog() });
  const left = await database.query(
    'SELECT FROM domains WHERE counted_generation IS DISTINCT FROM generation',
  );
  expect(left.rowCount).toBe(0);
  expect(await sumAccountCounts(database, account)).toMatchObject(rows[0]);
});

test('the index of a domain keeps room for its recent files', async () => {
  const account = await addAccount(database, 'enterprise');
  const { id, hostname } = await addVerifiedDomain(database, account);
  const put = (sitemapName: string) =>
    fixture.upload(account, { domain: hostname, sitemapName, urls: plainEntries(1) });
  await put('a');
  const hasFiles = (count: number, isRecent: boolean) =>
    database.query('UPDATE domains SET file_count = $2, recent_enabled = $3 WHERE id = $1', [
      id,
      count,
      isRecent,
    ]);
  await hasFiles(49_990, true);
  await expect(put('b')).rejects.toThrow('must fit into 49990 files');
  await hasFiles(49_990, false);
  await put('b');
  await hasFiles(50_000, false);
  await expect(put('c')).rejects.toThrow('must fit into 50000 files');
});
