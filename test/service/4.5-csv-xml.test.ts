/** Uploads as CSV and as sitemap XML, in each encoding, and how their faults are told. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchEntries, fetchLocs, fetchXml } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { inPieces } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

const NAMESPACES = {
  '': 'http://www.sitemaps.org/schemas/sitemap/0.9',
  ':image': 'http://www.google.com/schemas/sitemap-image/1.1',
  ':xhtml': 'http://www.w3.org/1999/xhtml',
};
const URLSET = `<urlset${Object.entries(NAMESPACES)
  .map(([prefix, uri]) => ` xmlns${prefix}="${uri}"`)
  .join('')}>`;

/** More than one batch. */
const COUNT = 1_100;
const all = Array.from({ length: COUNT }, (_, i) => ({
  loc: `https://example.com/${i}?a=1&b=2`,
  lastmod: '2026-01-15',
  priority: 0.5,
  images: [{ loc: `https://example.com/${i}.png`, title: `"No. ${i}", new` }],
  hreflang: [{ href: `https://example.com/de/${i}`, hreflang: 'de' }],
}));

const BODIES = {
  'text/csv': [
    'loc,lastmod,priority,image_loc,image_title,hreflang:de\r\n',
    ...all.map(
      ({ loc, lastmod, priority, images: [image], hreflang: [alternate] }) =>
        `${loc},${lastmod},${priority},${image!.loc},"${image!.title.replaceAll('"', '""')}",${alternate!.href}\r\n`,
    ),
  ].join(''),
  'application/xml': [
    `<?xml version="1.0" encoding="UTF-8"?>\n${URLSET}\n`,
    ...all.map(
      ({ loc, lastmod, priority, images: [image], hreflang: [alternate] }) =>
        `<url>\n  <loc>${loc.replace('&', '&amp;')}</loc>\n  <lastmod>${lastmod}</lastmod><priority>${priority}</priority>
  <image:image><image:title><![CDATA[${image!.title}]]></image:title><image:loc>${image!.loc}</image:loc></image:image>
  <xhtml:link href="${alternate!.href}" hreflang="de" rel='alternate' />\n</url>\n`,
    ),
    '</urlset>\n',
  ].join(''),
};
type Type = keyof typeof BODIES | 'text/xml';

function post(type: Type, body: string | Uint8Array | Iterable<Uint8Array>, more = '', encoding?: string) {
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  return customer.call(`POST /api/sitemap/generate?domain=${hostname}${more}`, {
    body: sent,
    headers: { 'Content-Type': type, ...(encoding !== undefined && { 'Content-Encoding': encoding }) },
  });
}

async function faultOf(type: Type, body: string) {
  const { status, json } = await post(type, body);
  return { status, ...json.error };
}

test.each([
  ['text/csv', undefined, Buffer.from],
  ['text/csv', 'zstd', zstdCompressSync],
  ['application/xml', undefined, Buffer.from],
  ['application/xml', 'gzip', gzipSync],
] as const)('4.5 an upload as %s with encoding %s is published', async (type, encoding, encode) => {
  const body = encode(BODIES[type]);
  const sitemapName = `${type.slice(-3)}-${encoding ?? 'none'}`;
  const { json } = await post(type, inPieces(body, 997), `&sitemapName=${sitemapName}`, encoding);
  expect(json.data).toMatchObject({ sitemapName, urlCount: COUNT, filesGenerated: 1 });
  expect(await fetchEntries(waypost, hostname, `/sitemap-${sitemapName}.xml`)).toEqual(all);
});

test('spec D58 a published file that is uploaded again is published byte for byte', async () => {
  await customer.call('POST /api/sitemap/generate', { body: { domain: hostname, urls: all } });
  const xml = await vi.waitFor(() => fetchXml(waypost, hostname, '/sitemap.xml'), SOON);
  for (const type of ['application/xml', 'text/xml'] as const) {
    const { status } = await post(type, xml, '&sitemapName=again');
    expect(status).toBe(200);
    await vi.waitFor(
      async () => expect(await fetchXml(waypost, hostname, '/sitemap-again.xml')).toBe(xml),
      SOON,
    );
  }
});

describe('spec D57', () => {
  test('a fault in a cell names the line where its record begins, and the column', async () => {
    const png = 'https://example.com/a.png';
    const csv = `loc,image_loc,image_title,Priority\nhttps://example.com/,${png},"a\nb",1\n\nhttps://example.com/2,${png},"c\nd",7\n`;
    expect(await faultOf('text/csv', csv)).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^line 5, Priority: must be a number/),
      details: { field: 'Priority', value: 7, line: 5, index: 1 },
    });
  });

  test('a record with another number of cells is a fault of its line', async () => {
    expect(await faultOf('text/csv', 'loc,lastmod\nhttps://example.com/\n')).toMatchObject({
      status: 422,
      message: 'line 2: must have 2 cells, like the header; it has 1',
      details: { field: 'line', value: 'https://example.com/', line: 2, index: 0 },
    });
  });

  test.each([
    ['loc,last_mod', 'last_mod', 'last_mod: is not known here; did you mean lastmod?'],
    ['lastmod', 'loc', 'loc: is required: the first line must name the columns, as in loc,lastmod'],
    ['loc;last_mod', 'last_mod', 'last_mod: is not known here; did you mean lastmod?'],
  ])('the header %s is refused', async (header, field, message) => {
    const fault = await faultOf('text/csv', `${header}\nhttps://example.com/,\n`);
    expect(fault).toMatchObject({ status: 422, code: 'VALIDATION_ERROR', message, details: { field } });
  });

  test('a header without records is an upload without URLs', async () => {
    expect(await faultOf('text/csv', 'loc\n')).toMatchObject({ status: 422, details: { field: 'urls' } });
  });
});

describe('spec D58', () => {
  test('a fault in an element names the line where its record begins, and the path', async () => {
    const xml = `${URLSET}\n<!--\n-->\n<url><loc>https://example.com/</loc>
      <image:image><image:loc>https://example.com/1.png</image:loc></image:image>
      <image:image><image:loc>2.png</image:loc></image:image></url></urlset>`;
    expect(await faultOf('application/xml', xml)).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^line 4, image:image\[2\]\/image:loc: must be/),
      details: { field: 'image:image[2]/image:loc', value: '2.png', line: 4, index: 0 },
    });
  });

  test('a record that is not well-formed is a fault of this record', async () => {
    const xml = `${URLSET}<url><loc>https://example.com/</loc></url>\n<url><loc>&nbsp;</loc></url></urlset>`;
    expect(await faultOf('application/xml', xml)).toMatchObject({
      status: 422,
      message: 'line 2, url: must be well-formed XML: undefined entity',
      details: { field: 'url', line: 2, index: 1 },
    });
  });

  test.each([
    [`<sitemapindex xmlns="${NAMESPACES['']}"></sitemapindex>`, 'it is an index of sitemaps'],
    ['<!DOCTYPE urlset><urlset/>', 'a DOCTYPE is not taken'],
    ['<?xml version="1.0" encoding="latin1"?><urlset/>', 'it must be in UTF-8'],
    ['<rss/>', 'its root must be urlset'],
    [`${URLSET}<url>`, 'it ends too early'],
    ['{"urls":[]}', 'text stands where only elements may'],
  ])('a document is refused: %#', async (xml, message) => {
    expect(await faultOf('application/xml', xml)).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      message: expect.stringContaining(`line 1: ${message}`),
    });
  });

  test('a document without records is an upload without URLs', async () => {
    expect(await faultOf('application/xml', '<urlset/>')).toMatchObject({
      status: 422,
      details: { field: 'urls' },
    });
  });
});

test('what is refused changes nothing', async () => {
  const before = await fetchLocs(waypost, hostname, '/sitemap.xml');
  await post('application/xml', `${URLSET}<url><loc>https://example.com/new</loc></url>`);
  await post('text/csv', 'loc\nhttps://example.com/new\nx\n');
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(before);
});
