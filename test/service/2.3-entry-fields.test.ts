/** Spec 2.3, docs/FORMAT.md: every field of an entry is rendered and read back, or refused. */
import { expect, test } from 'vitest';
import { SITEMAP_SCHEMA, schemaErrors } from '../sitemap/schema-judge.ts';
import { needs } from '../support/needs.ts';
import { fetchEntries, fetchXml } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

const loc = 'https://www.example.com/';
const image = { loc: 'https://img.example.com/1.jpg' };
const news = {
  publication: { name: 'The Example Times', language: 'en' },
  publication_date: '2026-01-15T10:00:00Z',
  title: 'Companies merge',
};
const video = {
  thumbnail_loc: 'https://img.example.com/v.jpg',
  title: 'Grilling',
  description: 'How to grill',
  content_loc: 'https://cdn.example.com/v.mp4',
};

const full = {
  loc: 'https://www.example.com/a?b=1&c=2',
  lastmod: '2026-01-15T10:00:00+02:00',
  changefreq: 'daily',
  priority: 0.64,
  images: [
    {
      loc: 'https://img.example.com/1.jpg?a=1&b=2',
      title: 'Title <b> & "more"',
      caption: 'Caption',
      geo_location: 'Limerick, Ireland',
      license: 'https://example.com/license',
    },
    { loc: 'https://img.example.com/2.jpg' },
  ],
  hreflang: [
    { href: 'https://www.example.com/de', hreflang: 'de' },
    { href: 'https://www.example.com/at?a=1&b=2', hreflang: 'de-AT' },
    { href: 'https://www.example.com/', hreflang: 'x-default' },
  ],
  news: { ...news, keywords: 'business, merger', stock_tickers: 'NASDAQ:A, NASDAQ:B' },
  video: {
    ...video,
    player_loc: 'https://www.example.com/player?v=1',
    duration: 600,
    view_count: 12_345,
    rating: 4.2,
    publication_date: '2026-01-15T10:00:00Z',
    expiration_date: '2027-01-15',
    family_friendly: true,
    live: false,
    tag: ['steak', 'summer'],
    category: 'Cooking',
    uploader: { name: 'Cook', info: 'https://www.example.com/cook' },
  },
};

/** Uploads the entries, and returns what hosting serves as entries and as XML. */
async function published(urls: object[]) {
  const { hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls });
  const served = await fetchEntries(waypost, hostname, '/sitemap.xml');
  return { served, xml: await fetchXml(waypost, hostname, '/sitemap.xml') };
}

test('2.3 all fields of an entry come back as they were sent', async () => {
  const { served } = await published([full]);
  expect(served).toEqual([full]);
});

test('2.3 the served XML is valid by the schemas', needs('xmllint', 'the public schemas'), async () => {
  const { xml } = await published([full, { loc }, { loc, news }, { loc, video }, { loc, images: [image] }]);
  expect(schemaErrors(SITEMAP_SCHEMA, xml)).toBe('');
});

test('4.5 alternates follow loc and lastmod, one link each', async () => {
  const { xml } = await published([full]);
  const links = xml.match(/<xhtml:link [^>]*>/g) ?? [];
  expect(links).toHaveLength(3);
  expect(links[1]).toMatch(/rel="alternate"/);
  expect(links[1]).toMatch(/hreflang="de-AT"/);
  expect(links[1]).toMatch(/href="https:\/\/www\.example\.com\/at\?a=1&amp;b=2"/);
  expect(xml.indexOf('<xhtml:link')).toBeGreaterThan(xml.indexOf('</lastmod>'));
});

test('format 1 a file declares only the namespaces that it uses', async () => {
  const declared = async (entry: object) => {
    const { xml } = await published([entry]);
    expect(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true);
    return Array.from(xml.matchAll(/ xmlns:(\w+)=/g), ([, prefix]) => prefix).sort();
  };
  expect(await declared({ loc })).toEqual([]);
  expect(await declared({ loc, images: [image] })).toEqual(['image']);
  expect(await declared({ loc, images: [], hreflang: [] })).toEqual([]);
  expect(await declared(full)).toEqual(['image', 'news', 'video', 'xhtml']);
});

const accepted: [string, object][] = [
  ['lastmod as a date', { lastmod: '2024-02-29' }],
  ['lastmod with a fraction', { lastmod: '2024-02-29T23:59:59.123456789Z' }],
  ['lastmod with an offset', { lastmod: '2024-02-29T00:00:00-11:30' }],
  ...['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'].map(
    (changefreq): [string, object] => [`changefreq ${changefreq}`, { changefreq }],
  ),
  ['priority 0', { priority: 0 }],
  ['priority 1', { priority: 1 }],
  ['priority 0.0000001', { priority: 1e-7 }],
  ['1,000 images', { images: Array(1000).fill(image) }],
  ['a loc of 2,048 characters', { loc: loc.padEnd(2048, 'a') }],
  ['a loc with http', { loc: 'http://example.com/' }],
  [
    'a language of three letters for news',
    { news: { ...news, publication: { name: 'N', language: 'mwl' } } },
  ],
  ['news as a date', { news: { ...news, publication_date: '2001-01-01' } }],
  ['a video title of 100 code points', { video: { ...video, title: '🎬'.repeat(100) } }],
  ['a description of 2,048 code points', { video: { ...video, description: '🎬'.repeat(2048) } }],
  ['32 tags', { video: { ...video, tag: Array.from({ length: 32 }, (_, n) => `tag ${n}`) } }],
  ['rating 0', { video: { ...video, rating: 0 } }],
  ['rating 5', { video: { ...video, rating: 5 } }],
  ['duration 1', { video: { ...video, duration: 1 } }],
  ['duration 28,800', { video: { ...video, duration: 28_800 } }],
  ['view_count 0', { video: { ...video, view_count: 0 } }],
  ['an uploader without info', { video: { ...video, uploader: { name: 'Cook' } } }],
  ['family_friendly false', { video: { ...video, family_friendly: false, live: true } }],
  ['a script in a language tag', { hreflang: [{ href: loc, hreflang: 'zh-Hant-TW' }] }],
  ['every character XML can hold', { images: [{ ...image, title: '\t &<>"\' ]]> \u0085\u2028\ufffd😀' }] }],
];

test.each(accepted)('2.3 accepted: %s', async (_what, members) => {
  const entry = { loc, ...members };
  const { served } = await published([entry]);
  expect(served).toEqual([entry]);
});

test('4.5 a video needs no content address if it has a player', async () => {
  const { content_loc: _, ...rest } = video;
  const entry = { loc, video: { ...rest, player_loc: 'https://www.example.com/player' } };
  expect((await published([entry])).served).toEqual([entry]);
});

test.each([
  ['https://bücher.example/ü?ä=ö#ß', 'https://xn--bcher-kva.example/%C3%BC?%C3%A4=%C3%B6#%C3%9F'],
  ['https://example.com/a b"c<d>`{}|^\\[]', 'https://example.com/a%20b%22c%3Cd%3E%60%7B%7D%7C%5E%5C%5B%5D'],
  ['https://example.com/100%/%41%zz', 'https://example.com/100%25/%41%25zz'],
  ['https://example.com/#a#b', 'https://example.com/#a%23b'],
  ['https://example.com/a/../b/./C?z&a', 'https://example.com/a/../b/./C?z&a'],
  ['http://a.io', 'http://a.io/'],
])('format 12 the URL %s is written as %s', async (given, written) => {
  expect((await published([{ loc: given }])).served).toEqual([{ loc: written }]);
});

test('format 20 the language of news is written in lower case', async () => {
  const publication = { name: 'N', language: 'ZH-CN' };
  const { served } = await published([{ loc, news: { ...news, publication } }]);
  expect(served).toMatchObject([{ news: { publication: { language: 'zh-cn' } } }]);
});

const without = (object: object, member: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
const withImage = (members: object) => ({ images: [{ ...image, ...members }] });
const withNews = (members: object) => ({ news: { ...news, ...members } });
const withVideo = (members: object) => ({ video: { ...video, ...members } });
const withLanguage = (hreflang: unknown) => ({ hreflang: [{ href: loc, hreflang }] });

/** The members beside a good `loc`, the field at fault, and its value if it is not obvious. */
const refused: [members: object, field: string, value?: unknown][] = [
  [{ loc: undefined }, 'loc', null],
  [{ loc: null }, 'loc'],
  [{ loc: 5 }, 'loc'],
  [{ loc: '' }, 'loc'],
  [{ loc: '/relative' }, 'loc'],
  [{ loc: '//example.com/' }, 'loc'],
  [{ loc: 'ftp://example.com/' }, 'loc'],
  [{ loc: 'javascript:alert(1)' }, 'loc'],
  [{ loc: 'https:example.com' }, 'loc'],
  [{ loc: 'https://' }, 'loc'],
  [{ loc: ' https://example.com/' }, 'loc'],
  [{ loc: 'https://example.com/\n' }, 'loc'],
  [{ loc: 'https://me:secret@example.com/' }, 'loc'],
  [{ loc: 'https://example.com:65536/' }, 'loc'],
  [{ loc: 'https://a..b/' }, 'loc'],
  [{ loc: loc.padEnd(2049, 'a') }, 'loc', `${loc.padEnd(256, 'a')}…`],
  [{ lastmod: 'yesterday' }, 'lastmod'],
  [{ lastmod: '2024-02-30' }, 'lastmod'],
  [{ lastmod: '2024-01-01T10:00:00' }, 'lastmod'],
  [{ lastmod: '2024-01-01T10:00Z' }, 'lastmod'],
  [{ lastmod: '2024-01-01T24:00:00Z' }, 'lastmod'],
  [{ lastmod: 20240101 }, 'lastmod'],
  [{ changefreq: 'sometimes' }, 'changefreq'],
  [{ changefreq: 'Daily' }, 'changefreq'],
  [{ priority: 1.01 }, 'priority'],
  [{ priority: -0.1 }, 'priority'],
  [{ priority: '0.5' }, 'priority'],
  [{ images: {} }, 'images'],
  [{ images: Array(1001).fill(5) }, 'images', expect.stringMatching(/^\[5,5.*…$/)],
  [{ images: [5] }, 'images[0]'],
  [{ images: [image, {}] }, 'images[1].loc', null],
  [withImage({ loc: 'not a url' }), 'images[0].loc'],
  [withImage({ title: 5 }), 'images[0].title'],
  [withImage({ caption: 'x'.repeat(10_001) }), 'images[0].caption', `${'x'.repeat(256)}…`],
  [withImage({ geo_location: false }), 'images[0].geo_location'],
  [withImage({ license: 'gpl' }), 'images[0].license'],
  [withImage({ title: 'bell \u0007' }), 'images[0].title'],
  [withImage({ title: 'half \ud83d' }), 'images[0].title'],
  [{ hreflang: 'de' }, 'hreflang'],
  [withLanguage('english'), 'hreflang[0].hreflang'],
  [withLanguage('xx'), 'hreflang[0].hreflang'],
  [withLanguage('de_AT'), 'hreflang[0].hreflang'],
  [withLanguage('en-UK'), 'hreflang[0].hreflang'],
  [withLanguage(undefined), 'hreflang[0].hreflang', null],
  [{ hreflang: [{ hreflang: 'de' }] }, 'hreflang[0].href', null],
  [{ hreflang: [{ href: 'x', hreflang: 'de' }] }, 'hreflang[0].href'],
  [{ news: [] }, 'news'],
  [{ news: without(news, 'publication') }, 'news.publication', null],
  [withNews({ publication: { language: 'en' } }), 'news.publication.name', null],
  [withNews({ publication: { name: 'N' } }), 'news.publication.language', null],
  [withNews({ publication: { name: 'N', language: 'english' } }), 'news.publication.language'],
  [{ news: without(news, 'publication_date') }, 'news.publication_date', null],
  [withNews({ publication_date: '2024-13-01' }), 'news.publication_date'],
  [{ news: without(news, 'title') }, 'news.title', null],
  [withNews({ title: '' }), 'news.title'],
  [withNews({ keywords: ['a'] }), 'news.keywords'],
  [withNews({ stock_tickers: 'AAPL' }), 'news.stock_tickers'],
  [{ video: 'v.mp4' }, 'video'],
  [{ video: without(video, 'thumbnail_loc') }, 'video.thumbnail_loc', null],
  [{ video: without(video, 'title') }, 'video.title', null],
  [{ video: without(video, 'description') }, 'video.description', null],
  [{ video: without(video, 'content_loc') }, 'video', without(video, 'content_loc')],
  [withVideo({ title: 'x'.repeat(101) }), 'video.title'],
  [withVideo({ description: 'x'.repeat(2049) }), 'video.description', `${'x'.repeat(256)}…`],
  [withVideo({ content_loc: 'v.mp4' }), 'video.content_loc'],
  [withVideo({ player_loc: 'player' }), 'video.player_loc'],
  [withVideo({ duration: 0 }), 'video.duration'],
  [withVideo({ duration: 28_801 }), 'video.duration'],
  [withVideo({ duration: 1.5 }), 'video.duration'],
  [withVideo({ view_count: -1 }), 'video.view_count'],
  [withVideo({ rating: 5.1 }), 'video.rating'],
  [withVideo({ publication_date: 'now' }), 'video.publication_date'],
  [withVideo({ expiration_date: 'never' }), 'video.expiration_date'],
  [withVideo({ family_friendly: 'yes' }), 'video.family_friendly'],
  [withVideo({ live: 1 }), 'video.live'],
  [withVideo({ tag: 'steak' }), 'video.tag'],
  [withVideo({ tag: Array(33).fill('t') }), 'video.tag'],
  [withVideo({ tag: ['a', ''] }), 'video.tag[1]'],
  [withVideo({ category: 'x'.repeat(257) }), 'video.category', `${'x'.repeat(256)}…`],
  [withVideo({ uploader: 'Cook' }), 'video.uploader'],
  [withVideo({ uploader: { name: 'Cook', info: 'about' } }), 'video.uploader.info'],
];

test('4.5 each fault is reported with its field and its value', async () => {
  const { hostname } = await customer.createDomain();
  const urls = refused.map(([members]) => ({ loc, ...members }));
  const { status, json } = await customer.upload({ domain: hostname, urls });
  expect(status).toBe(422);
  const { code, message, details } = json.error;
  const wanted = refused.map(([members, field, value], i) => ({
    field: `urls[${i}].${field}`,
    value: value === undefined ? valueAt(members, field) : value,
    message: expect.stringMatching(/./),
  }));
  expect(details.errors).toEqual(wanted);
  expect(details.errorCount).toBe(refused.length);
  expect(code).toBe('VALIDATION_ERROR');
  expect({ field: details.field, value: details.value }).toEqual({ field: 'urls[0].loc', value: null });
  expect(message).toContain('urls[0].loc');
});

test.each([
  ['a string', '"https://example.com/"', 'https://example.com/'],
  ['null', 'null', null],
  ['a number', '5', 5],
  ['an array', '[]', []],
])('format 22 an entry that is %s is refused', async (_what, element, value) => {
  const { hostname } = await customer.createDomain();
  const body = `{"domain":"${hostname}","urls":[{"loc":"${loc}"},${element}]}`;
  const { status, json } = await customer.upload(body);
  expect(status).toBe(422);
  expect(json.error.details).toMatchObject({ field: 'urls[1]', value, errorCount: 1 });
});

test('format 24 a number beyond the range of JSON readers is refused', async () => {
  const { hostname } = await customer.createDomain();
  const { status, json } = await customer.upload(
    `{"domain":"${hostname}","urls":[{"loc":"${loc}","priority":1e400}]}`,
  );
  expect(status).toBe(422);
  expect(json.error.details).toMatchObject({ field: 'urls[0].priority', value: 'Infinity' });
});

function valueAt(object: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  return names.reduce((value, name) => (value as Record<string, unknown>)[name], object);
}
