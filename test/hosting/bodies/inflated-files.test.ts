/** Files for clients without gzip: inflated once for all, and kept while there is room. */
import { expect, test } from 'vitest';
import { uploadFileKey } from '../../../src/features/sites/site.ts';
import { publishSite } from '../hosted-site.ts';
import { type RunningHosting, startHosting } from '../start-hosting.ts';

const MIB = 1024 * 1024;
const LARGE = `<urlset>${'x'.repeat(5 * MIB)}</urlset>`;
const SMALL = `<urlset>${'x'.repeat(300)}</urlset>`;

const publish = ({ storage }: RunningHosting, xml: string) =>
  publishSite(storage, { sitemaps: [{ uploadId: 'u', files: [xml] }] });

test.each([SMALL, LARGE])('a hot file is inflated once, whoever asks for it how often', async (xml) => {
  await using hosting = await startHosting();
  await publish(hosting, xml);
  await hosting.get('/sitemap.xml');
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => hosting.get('/sitemap.xml')));
    for (const { status, body } of answers) expect([status, body.toString() === xml]).toEqual([200, true]);
  }
  // Requests that come while the file is inflated share the work, and count as misses.
  const { hits, misses } = hosting.counts.inflated;
  expect(hits).toBeGreaterThanOrEqual(10);
  expect(misses).toBeLessThanOrEqual(10);
  expect(hosting.faults.asked.filter((key) => key === uploadFileKey('u', 1))).toHaveLength(
    xml === LARGE ? 2 : 1,
  );
});

test('a large file that is asked for once takes no memory, nor one that would take most of it', async () => {
  await using hosting = await startHosting();
  await publish(hosting, LARGE);
  await hosting.get('/sitemap.xml');
  expect(hosting.counts.objectBytes()).toBeLessThan(MIB);
  await hosting.get('/sitemap.xml');
  expect(hosting.counts.objectBytes()).toBeGreaterThan(5 * MIB);

  await using little = await startHosting({ cacheBytes: 48 * MIB });
  await publish(little, LARGE);
  for (const _ of [1, 2, 3]) expect((await little.get('/sitemap.xml')).body.length).toBe(LARGE.length);
  expect(little.counts.objectBytes()).toBeLessThan(MIB);
});
