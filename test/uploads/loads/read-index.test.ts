/** Indexes of sitemaps and robots.txt, in any chunks: the listed addresses, and the refusals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readIndex, readSitemapLines } from '../../../src/features/uploads/loads/read-index.ts';
import { indexOf } from '../../support/source-host.ts';

async function* inChunks(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string | Buffer, size = 7) => readIndex(inChunks(text, size));

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

test('every address is found, however it is written and cut', async () => {
  const url = fc.webUrl({ withQueryParameters: true, withFragments: false });
  const spelling = fc.constantFrom<(loc: string) => string>(
    (loc) => `<loc>${escaped(loc)}</loc>`,
    (loc) => `<lastmod>2020</lastmod>\n<loc>\n  ${escaped(loc)}\r\n</loc>`,
    (loc) => `<loc><![CDATA[${loc}]]></loc><x:loc xmlns:x="urn:other">https://no.example/</x:loc>`,
    (loc) => `<!-- <loc>https://no.example/</loc> --><loc>${escaped(loc)}</loc>`,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(url, spelling), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"', ''),
      async (children, size, namespace) => {
        const body = children.map(([loc, spell]) => `<sitemap>${spell(loc)}</sitemap>`).join('');
        const text = `\uFEFF<?xml version="1.0"?><sitemapindex${namespace}>${body}</sitemapindex>\n`;
        expect(await read(text, size)).toEqual(children.map(([loc]) => loc));
      },
    ),
  );
});

describe('what is refused', () => {
  const laughs = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>`;
  test.each<[string, string | Buffer, RegExp]>([
    ['no sitemap', indexOf(), /lists no sitemap/],
    ['an entity of its own', `${laughs}${indexOf('&b;')}`, /well-formed/],
    ['an end too early', indexOf('https://a.example/').slice(0, -3), /well-formed/],
    ['another namespace', '<sitemapindex xmlns="urn:other"><sitemap/></sitemapindex>', /namespace/],
    ['UTF-16', Buffer.from('\uFEFF<sitemapindex/>', 'utf16le'), /UTF-8/],
    // Without the limit, this takes minutes.
    ['elements in elements', `<sitemapindex>${'<a>'.repeat(60_000)}`, /deeper than 32/],
    [
      'very many attributes',
      `<sitemapindex ${Array.from({ length: 1001 }, (_, i) => `a${i}=""`).join(' ')}>`,
      /more than 1000 attributes/,
    ],
    ['too many', indexOf(...Array.from({ length: 10_001 }, (_, i) => `https://a.example/${i}`)), /10000/],
  ])('%s', async (_, text, message) => {
    await expect(read(text, 60_000)).rejects.toMatchObject({
      name: 'SourceFailure',
      message: expect.stringMatching(message),
    });
  });

  test('an index without end', async () => {
    async function* endless() {
      yield Buffer.from('<sitemapindex>');
      for (;;) yield Buffer.alloc(50 * 1024 * 1024, ' ');
    }
    await expect(readIndex(endless())).rejects.toThrow(/larger than/);
  });
});

test('the lines of a robots.txt', async () => {
  const text =
    'User-agent: *\r\nSITEMAP:https://a.example/1\r\n# Sitemap: /no\n  Sitemap : /2 # two\nX-Sitemap: /no\n';
  expect(await readSitemapLines(inChunks(text, 3))).toEqual(['https://a.example/1', '/2']);
  const latin = Buffer.from('# caf\xe9\nSitemap: /a.xml#part\nSitemap:\n', 'latin1');
  expect(await readSitemapLines(inChunks(latin, 3))).toEqual(['/a.xml']);
  await expect(readSitemapLines(inChunks('User-agent: *\n', 3))).rejects.toThrow('names no sitemap');
  const long = 'Sitemap: /1\n'.repeat(50_000);
  await expect(readSitemapLines(inChunks(long, 60_000))).rejects.toThrow('larger than');
});
