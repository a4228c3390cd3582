/** The stylesheet as it is served, and its coverage of everything that we write. Biome checks that it is valid CSS. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { siteKey } from '../../../src/features/sites/site.ts';
import { accepted, sitemapDocument } from '../../sitemap/document.ts';
import { fullEntry } from '../../sitemap/full-entry.ts';
import { readXml, type XmlElement } from '../../sitemap/read-xml.ts';
import { publishHosts, publishSite } from '../hosted-site.ts';
import { HOSTNAME, startHosting } from '../start-hosting.ts';

const CSS = readFileSync(new URL('../../../src/edges/hosting/answer/sitemap.css', import.meta.url), 'utf8');
const RULES = CSS.replace(/\/\*.*?\*\//gs, '').replace(/@namespace .*;/g, '');

test('it is served from memory in both encodings at each host with a site', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage);
  const plain = await hosting.get('/sitemap.css');
  const tag = plain.headers.etag?.slice(1, -1);
  expect(plain.head).toBe(
    `HTTP/1.1 200 OK\nX-Robots-Tag: noindex\nX-Content-Type-Options: nosniff\nETag: "${tag}"\n` +
      'Cache-Control: public, max-age=86400\nVary: Accept-Encoding\nContent-Type: text/css; charset=utf-8\n' +
      `Accept-Ranges: bytes\nContent-Length: ${Buffer.byteLength(CSS)}\nDate: *\nConnection: close`,
  );
  expect(plain.body.toString()).toBe(CSS);
  const packed = await hosting.get('/sitemap.css', 'Accept-Encoding: gzip');
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', etag: `"${tag}-gz"` });
  expect(gunzipSync(packed.body).toString()).toBe(CSS);
  expect((await hosting.get('/sitemap.css', 'Accept-Encoding: identity;q=0')).status).toBe(406);
  expect(hosting.faults.asked).toEqual([siteKey(HOSTNAME)]);
});

test('a host outside the directory gets 404, and its site is not looked up', async () => {
  await using hosting = await startHosting();
  await publishHosts(hosting.storage, ['other.example.com']);
  expect((await hosting.get('/sitemap.css')).status).toBe(404);
  expect(hosting.faults.asked).not.toContain(siteKey(HOSTNAME));
});

test('it has rules for every element and attribute of a file, by its own namespaces', () => {
  const prefixes = new Map(
    [...CSS.matchAll(/@namespace (\w* ?)"(.+)";/g)].map(([, prefix = '', uri = '']) => [uri, prefix.trim()]),
  );
  const root = readXml(sitemapDocument(accepted(fullEntry())));
  const elements = [...elementsOf(root)];
  expect(new Set(elements.map(({ name }) => name)).size).toBe(37);
  for (const { name, children, attributes } of elements) {
    const [uri = '', local = ''] = name.split(' ');
    const prefix = prefixes.get(uri);
    const selector = prefix ? `${prefix}\\|${local}` : local;
    expect(RULES, name).toMatch(new RegExp(`^(?:\\w+ > )?${selector}(?:::before)?(?:,| \\{)$`, 'm'));
    const isNamed = prefix && children.length === 0;
    if (isNamed) expect(RULES, name).toMatch(new RegExp(`^${selector}::before \\{\\s+content: `, 'm'));
    for (const attribute of Object.keys(attributes)) {
      if (!/^xmlns\b|^rel$/.test(attribute)) expect(RULES).toContain(`content: attr(${attribute});`);
    }
  }
});

function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}

test('it fetches nothing, so it works under any Content-Security-Policy', () => {
  expect(RULES).not.toMatch(/url\(|src\(|image-set\(|@import|@font-face|\/\//);
});

test('no sibling combinator precedes a universal selector: 50,000 rows would take Chromium minutes', () => {
  expect(RULES).not.toMatch(/[~+]\s*(?:[\w*]+\|)?(?:\*|:)/);
});
