/**
 * The outcome of single values: the table of docs/FORMAT.md, and the test that runs each row. Values are JSON text,
 * because some rules depend on the way JSON is written.
 */

export interface FormatExample {
  /** As in violations, without `urls[i].`; empty for the entry itself. */
  readonly field: string;
  readonly json: string;
  /** The text on the page; for a long value, a description. */
  readonly shown: string;
  readonly outcome:
    | { readonly kind: 'kept' }
    | { readonly kind: 'left out' }
    /** The text in the XML. */
    | { readonly kind: 'written'; readonly as: string }
    /** Another JSON text that means the same. */
    | { readonly kind: 'same'; readonly as: string }
    | { readonly kind: 'refused'; readonly message: string; readonly at: string };
}

interface Described {
  readonly json: string;
  readonly shown: string;
}
type Given = string | Described;

const example = (field: string, given: Given, outcome: FormatExample['outcome']): FormatExample =>
  typeof given === 'string'
    ? { field, json: given, shown: code(given), outcome }
    : { field, ...given, outcome };
const kept = (field: string, ...givens: Given[]) =>
  givens.map((given) => example(field, given, { kind: 'kept' }));
const leftOut = (field: string, given: Given) => [example(field, given, { kind: 'left out' })];
const written = (field: string, given: Given, as: string) => [example(field, given, { kind: 'written', as })];
const same = (field: string, given: Given, as: string) => [example(field, given, { kind: 'same', as })];
const refused = (message: string, field: string, ...givens: Given[]) =>
  givens.map((given) => example(field, given, { kind: 'refused', message, at: field }));
const refusedAt = (at: string, message: string, field: string, given: Given) => [
  example(field, given, { kind: 'refused', message, at }),
];

/** Text as code in a cell of a Markdown table. */
export function code(text: string): string {
  const cell = text.replaceAll('|', '\\|');
  return cell.includes('`') ? `\`\` ${cell} \`\`` : `\`${cell}\``;
}

const characters = (count: number, character = 'a'): Described => ({
  json: JSON.stringify(character.repeat(count)),
  shown: `${count.toLocaleString('en')} × ${code(character)}`,
});
const list = (count: number, element: unknown, what: string): Described => ({
  json: JSON.stringify(Array(count).fill(element)),
  shown: `${count.toLocaleString('en')} ${what}`,
});
const url = (length: number): Described => ({
  json: JSON.stringify('https://example.com/'.padEnd(length, 'a')),
  shown: `a URL of ${length.toLocaleString('en')} characters`,
});

const image = { loc: 'https://example.com/1.png' };
const alternate = { href: 'https://example.com/en', hreflang: 'en' };

const NOT_A_URL = 'must be an absolute URL that starts with http:// or https://';
const NOT_A_DATE = 'must be a date like 2026-01-15, or a date and time with a zone like 2026-01-15T10:00:00Z';
const NOT_A_LANGUAGE = 'must be x-default or ISO codes like en, en-GB, zh-Hant or zh-Hant-TW';
const NOT_XML = 'must not contain characters that XML forbids, or lone surrogates';
const NOT_A_URL_HOST = 'must have a host without blanks, "*", "%" or other special characters';
const TOO_LONG_A_URL = 'must be at most 2048 characters long, percent-encoding included';

/** By their heading on the page. */
export const FORMAT_EXAMPLES: Readonly<Record<string, readonly FormatExample[]>> = {
  URLs: [
    ...kept(
      'loc',
      '"https://example.com/a/../b?z=1&a=2#top"',
      '"HTTPS://Example.com:8443"',
      '"http://[2001:db8::1]/"',
    ),
    ...kept('loc', '"https://example.com/caf%c3%a9"', url(2_048)),
    ...written(
      'loc',
      '"https://bücher.example/straße?ä=ö"',
      'https://xn--bcher-kva.example/stra%C3%9Fe?%C3%A4=%C3%B6',
    ),
    ...written('loc', '"https://example.com/a b|c[0]"', 'https://example.com/a%20b%7Cc%5B0%5D'),
    ...written('loc', '"https://example.com/100%"', 'https://example.com/100%25'),
    ...written('loc', '"https://example.com/#a#b"', 'https://example.com/#a%23b'),
    ...written('loc', '"http://a.co"', 'http://a.co/'),
    ...written('loc', '"https://example.com:/"', 'https://example.com/'),
    ...refused(
      NOT_A_URL,
      'loc',
      '"www.example.com/"',
      '"/about"',
      '"https:example.com"',
      '"ftp://example.com/"',
    ),
    ...refused('must not begin or end with white space', 'loc', '" https://example.com/"'),
    ...refused(
      'must not contain control characters or characters that XML forbids',
      'loc',
      '"https://example.com/a\\tb"',
    ),
    ...refused('must not contain a user name or password', 'loc', '"https://me:secret@example.com/"'),
    ...refused('must have a host after "http://" or "https://"', 'loc', '"https:///about"'),
    ...refused('must have a host without empty labels', 'loc', '"https://www..example.com/"'),
    ...refused(NOT_A_URL_HOST, 'loc', '"https://*.example.com/"', '"https://example.com\\\\a"'),
    ...refused('must have a host of at most 253 characters with labels of at most 63', 'loc', {
      json: JSON.stringify(`https://${'a'.repeat(64)}.example/`),
      shown: 'a label of 64 characters in the host',
    }),
    ...refused(
      'must have a host name or an IP address in its ordinary form',
      'loc',
      '"http://1.2.3/"',
      '"http://0x7f.1/"',
    ),
    ...refused('must have a port from 0 to 65535, or none', 'loc', '"https://example.com:65536/"'),
    ...refused(TOO_LONG_A_URL, 'loc', url(2_049)),
    ...refused('must be at least 12 characters long', 'loc', '"http://a.b"'),
    ...refused('is required and must be an absolute http:// or https:// URL', 'loc', 'null'),
    ...refused('must be an absolute http:// or https:// URL', 'loc', '7'),
  ],
  Dates: [
    ...kept(
      'lastmod',
      '"2026-01-15"',
      '"2024-02-29"',
      '"2026-01-15T10:00:00Z"',
      '"2026-01-15T10:00:00.123456789+14:00"',
    ),
    ...leftOut('lastmod', 'null'),
    ...refused(NOT_A_DATE, 'lastmod', '"2026-02-30"', '"2026-01-15T10:00:00"', '"2026-01-15T10:00Z"'),
    ...refused(
      NOT_A_DATE,
      'lastmod',
      '"2026-01-15T10:00:00+0200"',
      '"2026-01-15T24:00:00Z"',
      '"2026-01-15T23:59:60Z"',
    ),
    ...refused(
      NOT_A_DATE,
      'lastmod',
      '"2026-01-15t10:00:00z"',
      '"2026-W03-4"',
      '"2026-01"',
      '"0000-01-01"',
      '1768471200',
    ),
  ],
  Texts: [
    ...kept(
      'images[0].title',
      '"Grüße 😀"',
      '"a < b & c"',
      '"&amp;"',
      '" "',
      '"two\\nlines"',
      '""',
      characters(10_000),
    ),
    ...leftOut('images[0].title', 'null'),
    ...kept('video.title', characters(100, '😀')),
    ...refused('must be at most 100 characters long', 'video.title', characters(101)),
    ...kept('video.description', characters(2_048)),
    ...refused('must be at most 2048 characters long', 'video.description', characters(2_049)),
    ...refused('must be at most 256 characters long', 'video.category', characters(257)),
    ...refused('must be at most 255 characters long', 'video.uploader.name', characters(256)),
    ...refused('must be at most 10000 characters long', 'images[0].title', characters(10_001)),
    ...refused('must not be empty', 'news.title', '""'),
    ...refused(NOT_XML, 'images[0].title', '"\\u0000"', '"\\u001b"', '"\\ud83d"', '"\\uffff"'),
    ...refused('must be a string', 'images[0].title', '7'),
  ],
  'Numbers and booleans': [
    ...kept('priority', '0', '1', '0.64'),
    ...written('priority', '1e-7', '0.0000001'),
    ...written('priority', '-0', '0'),
    ...refused('must be a number from 0 to 1', 'priority', '1.1', '-0.1', '"0.5"', '1e400'),
    ...refused('must have at most 24 decimal places', 'priority', '1e-25'),
    ...written('video.duration', '60.0', '60'),
    ...refused('must be a whole number from 1 to 28800', 'video.duration', '0', '28801', '1.5'),
    ...kept('video.view_count', '0', '9007199254740991'),
    ...refused(
      'must be a whole number from 0 to 9007199254740991',
      'video.view_count',
      '-1',
      '9007199254740992',
    ),
    ...kept('video.rating', '4.25', '5'),
    ...refused('must be a number from 0 to 5', 'video.rating', '5.1'),
    ...written('video.live', 'true', 'yes'),
    ...written('video.live', 'false', 'no'),
    ...refused('must be true or false', 'video.live', '"yes"', '1'),
  ],
  Codes: [
    ...kept('changefreq', '"daily"'),
    ...refused(
      'must be one of always, hourly, daily, weekly, monthly, yearly, never',
      'changefreq',
      '"Daily"',
      '"sometimes"',
    ),
    ...kept('hreflang[0].hreflang', '"en"', '"en-GB"', '"zh-Hant"', '"zh-hant-tw"', '"x-default"'),
    ...refused(
      NOT_A_LANGUAGE,
      'hreflang[0].hreflang',
      '"english"',
      '"en_GB"',
      '"en-UK"',
      '"es-419"',
      '"xx"',
      '""',
    ),
    ...kept('news.publication.language', '"en"', '"deu"'),
    ...written('news.publication.language', '"ZH-CN"', 'zh-cn'),
    ...refused(
      'must be a language code of 2 or 3 letters, zh-cn or zh-tw',
      'news.publication.language',
      '"en-GB"',
    ),
    ...kept('news.stock_tickers', '"NASDAQ:GOOG, NYSE:A"', '""'),
    ...refused(
      'must be up to 5 comma-separated tickers like NASDAQ:GOOG',
      'news.stock_tickers',
      '"GOOG"',
      '"A:1;B:2"',
      '"A:1,B:2,C:3,D:4,E:5,F:6"',
    ),
  ],
  'Lists and objects': [
    ...kept('images', list(1_000, image, 'images')),
    ...refused('must be an array of at most 1000 elements', 'images', list(1_001, image, 'images'), '{}'),
    ...refused('must be an array of at most 1000 elements', 'hreflang', list(1_001, alternate, 'alternates')),
    ...refused('must be an array of at most 32 elements', 'video.tag', list(33, 'a', 'tags'), '"a"'),
    ...refused('must not be empty', 'video.tag[1]', '""'),
    ...refused('must be an object with the loc of an image', 'images[0]', '"https://example.com/1.png"'),
    ...refusedAt(
      'images[0].loc',
      'is required and must be an absolute http:// or https:// URL',
      'images[0]',
      '{"title":"A"}',
    ),
    ...refusedAt(
      'video',
      'must have at least one of content_loc and player_loc',
      'video',
      '{"thumbnail_loc":"https://example.com/1.png","title":"A","description":"B"}',
    ),
    ...refusedAt(
      '',
      'must be an object with at least a loc, such as {"loc":"https://www.example.com/"}',
      '',
      '"https://example.com/"',
    ),
  ],
  JSON: [
    ...same(
      '',
      '{"loc":"https:\\/\\/example.com\\/","priority":5e-1}',
      '{"loc":"https://example.com/","priority":0.5}',
    ),
    ...same('', '{"loc":"https://example.com/","lastmod":null}', '{"loc":"https://example.com/"}'),
    ...same('', '{"loc":1,"loc":"https://example.com/"}', '{"loc":"https://example.com/"}'),
    ...same(
      '',
      '{"loc":"https://example.com/","Loc":1,"__proto__":{"priority":7}}',
      '{"loc":"https://example.com/"}',
    ),
    ...refusedAt(
      'loc',
      'is required and must be an absolute http:// or https:// URL; rename LOC to loc',
      '',
      '{"LOC":"https://example.com/"}',
    ),
  ],
};
