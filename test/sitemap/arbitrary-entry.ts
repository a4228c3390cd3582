/** Any valid entry, in a form that validation leaves unchanged, so that the result can be compared with it. */
import fc from 'fast-check';
import iso6391 from 'iso-639-1';

/** Mostly short texts that are difficult for XML, HTML and Unicode; now and then one of the maximum length. */
const text = (maxLength: number, minLength = 0) =>
  fc.oneof(
    { weight: 80, arbitrary: difficultText(maxLength, minLength) },
    { weight: 1, arbitrary: fc.constantFrom('a', '😀', '&').map((character) => character.repeat(maxLength)) },
  );

const difficultText = (maxLength: number, minLength: number) =>
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

const fraction = fc.stringMatching(/^(\.\d{1,9})?$/);
const zone = fc.constantFrom('Z', '+14:00', '-14:00', '-05:30', '+00:00');
export const anyDate = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.oneof(fc.constant(undefined), fc.tuple(fraction, zone)),
  )
  .map(([date, time]) =>
    time === undefined ? date.toISOString().slice(0, 10) : date.toISOString().slice(0, 19) + time.join(''),
  );

/** Any number in the range of XML readers. `double` alone would mostly try numbers that are refused. */
const decimal = (max: number) =>
  fc.oneof(
    fc.constantFrom(0, 1e-24, 1e-7, 0.1 + 0.2, max),
    fc.nat(max * 1_000).map((thousandths) => thousandths / 1_000),
    fc.double({ min: 1e-8, max, noNaN: true }),
  );

const languageTag = fc.oneof(
  fc.constantFrom('x-default', 'X-Default'),
  fc
    .tuple(
      fc.constantFrom(...iso6391.getAllCodes()),
      fc.constantFrom('', '-Hant', '-hANS', '-LATN'),
      fc.constantFrom('', '-TW', '-gb', '-Rs'),
    )
    .map((subtags) => subtags.join('')),
);

const ticker = fc.stringMatching(/^[A-Z]{1,6}:[A-Z0-9éÜß]{1,5}$/);
const stockTickers = fc
  .array(fc.tuple(fc.constantFrom(',', ', ', ',  '), ticker), { maxLength: 5 })
  .map((tickers) => tickers.map(([comma, name], i) => (i === 0 ? name : comma + name)).join(''));

const image = fc.record(
  { loc: anyUrl, caption: text(10_000), geo_location: text(10_000), title: text(10_000), license: anyUrl },
  { requiredKeys: ['loc'] },
);

const news = fc.record(
  {
    publication: fc.record({
      name: text(10_000, 1),
      language: fc.constantFrom('en', 'deu', 'zh-cn', 'zh-tw'),
    }),
    publication_date: anyDate,
    title: text(10_000, 1),
    keywords: text(10_000),
    stock_tickers: stockTickers,
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
      rating: decimal(5),
      view_count: fc.maxSafeNat(),
      publication_date: anyDate,
      tag: fc.array(text(10_000, 1), { minLength: 1, maxLength: 32 }),
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
    priority: decimal(1),
    images: fc.array(image, { minLength: 1, maxLength: 4 }),
    hreflang: fc.array(fc.record({ href: anyUrl, hreflang: languageTag }), { minLength: 1, maxLength: 4 }),
    news,
    video,
  },
  { requiredKeys: ['loc'], noNullPrototype: true },
);
