/** Chromium shows everything in a sitemap, with the stylesheet that hosting serves. */
import { expect, test } from 'vitest';
import { INDEX_FOOTER, INDEX_HEADER, renderIndexEntry } from '../../src/core/sitemap/render-index.ts';
import { publishSite } from '../hosting/hosted-site.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { fullEntry } from '../sitemap/full-entry.ts';
import { needs } from '../support/needs.ts';
import { readInChromium } from '../support/read-in-chromium.ts';

test('a sitemap and an index are shown whole', needs('chromium'), async () => {
  await using hosting = await startHosting();
  const hostname = 'maps.localhost';
  const entries = [fullEntry(), { loc: 'https://www.example.com/2' }].map(accepted);
  const index = `${INDEX_HEADER}${renderIndexEntry('https://maps.example.com/a.xml', '2026-01-15')}${INDEX_FOOTER}`;
  const sitemaps = [{ uploadId: 'upload_one', files: [sitemapDocument(...entries)] }];
  await publishSite(hosting.storage, { hostname, index, sitemaps });
  const origin = `http://${hostname}:${hosting.port}`;

  const sitemap = await readInChromium(`${origin}/sitemap.xml`);
  expect(sitemap.join('')).toContain('URLs in this file: 2');
  expect(sitemap.map((text) => text.trim())).toEqual(
    expect.arrayContaining(['XML Sitemap', 'Image', 'News', 'Video', ...valuesOf(fullEntry())]),
  );
  expect((await readInChromium(`${origin}/sitemap-index.xml`)).join('\n')).toMatch(
    /XML Sitemap Index.*https:\/\/maps\.example\.com\/a\.xml.*2026-01-15.*Sitemaps in this index: *\n?1/s,
  );
});

/** Every value of an entry, as it is written. */
function valuesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesOf);
  return [value === true ? 'yes' : value === false ? 'no' : String(value)];
}
