// Any valid entry, in a form that validation leaves as it is, so that what is read back can be compared with it.

import fc from 'fast-check';

const text = (maxLength: number, minLength = 0) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom('&', '<', '>', '"', "'", '\t', '\n', '\r', ']]>', '&amp;', '&#13;', '<!--', '\u0085'),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
        fc.constantFrom('😀', '\u2028', '\ufffd', '\u{10ffff}'),
      ),
      { minLength, maxLength: 8 },
    )
    .map((parts) => Array.from(parts.join('')).slice(0, maxLength).join(''))
    .filter((joined) => joined.length >= minLength && !/\p{Cs}|[\ufffe\uffff]/u.test(joined));

const escapedOrPlain = fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@/?", '%C3%A9', '%2f', '/../', '//');
const urlPath = fc.array(escapedOrPlain, { maxLength: 12 }).map((parts) => `/${parts.join('')}`);
const host = fc.oneof(
  fc.constantFrom(
    'example.com',
    'WWW.Example.com',
    'a_b.example.org',
    '192.0.2.7',
    '[2001:db8::1]',
    'xn--mnchen-3ya.de',
  ),
  fc.domain().filter((name) => name.length > 4),
);

export const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('', ':80', ':8443'), urlPath, urlPath)
  .map(([scheme, name, port, path, fragment]) => `${scheme}://${name}${port}${path}#${fragment}`);

export const anyDate = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.constantFrom('Z', '+14:00', '-05:30', '+00:00', 'day'),
  )
  .map(([date, zone]) =>
    zone === 'day' ? date.toISOString().slice(0, 10) : date.toISOString().replace('Z', zone),
  );

const languageTag = fc.constantFrom('en', 'EN-gb', 'zh-Hant', 'zh-Hans-CN', 'x-default', 'X-Default');

const image = fc.record(
  { loc: anyUrl, caption: text(50), geo_location: text(50), title: text(50), license: anyUrl },
  { requiredKeys: ['loc'] },
);

const news = fc.record(
  {
    publication: fc.record({ name: text(50, 1), language: fc.constantFrom('en', 'deu', 'zh-cn', 'zh-tw') }),
    publication_date: anyDate,
    title: text(50, 1),
    keywords: text(50),
    stock_tickers: fc.constantFrom('', 'NASDAQ:GOOG', 'NASDAQ:GOOG, BOM:500325,ÉÜ:ß'),
  },
  { requiredKeys: ['publication', 'publication_date', 'title'] },
);

const video = fc
  .record(
    {
      thumbnail_loc: anyUrl,
      title: text(100, 1),
      description: text(2_048, 1),
      content_loc: anyUrl,
      player_loc: anyUrl,
      duration: fc.integer({ min: 1, max: 28_800 }),
      expiration_date: anyDate,
      rating: fc.integer({ min: 0, max: 5_000 }).map((thousandths) => thousandths / 1_000),
      view_count: fc.maxSafeNat(),
      publication_date: anyDate,
      tag: fc.array(text(50, 1), { minLength: 1, maxLength: 32 }),
      category: text(256),
      family_friendly: fc.boolean(),
      uploader: fc.record({ name: text(255, 1), info: anyUrl }, { requiredKeys: ['name'] }),
      live: fc.boolean(),
    },
    { requiredKeys: ['thumbnail_loc', 'title', 'description'] },
  )
  .filter(({ content_loc, player_loc }) => content_loc !== undefined || player_loc !== undefined);

export const anyEntry = fc.record(
  {
    loc: anyUrl,
    lastmod: anyDate,
    changefreq: fc.constantFrom('always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'),
    // Millionths reach below 1e-6, where JavaScript begins to print exponents.
    priority: fc.oneof(
      fc.constantFrom(0, 1e-7, 0.64, 1),
      fc.nat(10_000_000).map((n) => n / 10_000_000),
    ),
    images: fc.array(image, { minLength: 1, maxLength: 4 }),
    hreflang: fc.array(fc.record({ href: anyUrl, hreflang: languageTag }), { minLength: 1, maxLength: 4 }),
    news,
    video,
  },
  { requiredKeys: ['loc'], noNullPrototype: true },
);
