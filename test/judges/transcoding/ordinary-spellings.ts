/** Valid entries that a client may send any day, by their speciality. */
import { fullEntry } from '../../sitemap/full-entry.ts';
import { withGaps } from './layouts.ts';
import { WAYS } from './strings.ts';
import { nested } from './unknown-members.ts';

const loc = 'https://a.example/b';
const { news, video } = fullEntry();
const full = JSON.stringify(fullEntry());
const url = 'https://a.example/b';

/** An entry with a loc and these members, as JSON. */
const entry = (members: object) => JSON.stringify({ loc, ...members });
/** The same with members that are JSON already. */
const entryOf = (members: string) => `{"loc":"${loc}",${members}}`;
const at = (loc: string) => JSON.stringify({ loc });
const titled = (title: string) => entry({ images: [{ loc: url, title }] });
const titledAs = (title: string) => entryOf(`"images":[{"loc":"${url}","title":${title}}]`);
const shortVideo = { thumbnail_loc: url, title: 'T', description: 'D', content_loc: url };
const videoWith = (member: string) =>
  entryOf(`"video":${JSON.stringify(shortVideo).slice(0, -1)},${member}}`);

const everyNull = Object.keys(fullEntry())
  .filter((name) => name !== 'loc')
  .map((name) => `"${name}":null`)
  .join(',');
const reversed = JSON.stringify(Object.fromEntries(Object.entries(fullEntry()).toReversed()));
const escapedNames = full.replace(/"(\w+)":/g, (_, name) => `${WAYS['lower-case hexadecimal'](name)}:`);
const escapedEverything = full.replace(/"([^"]*)"/g, (_, text) => WAYS['upper-case hexadecimal'](text));

export const ORDINARY_SPELLINGS: readonly (readonly [what: string, text: string])[] = [
  ['a loc alone', at(loc)],
  ['every member', full],
  ['news with all members', entry({ news })],
  ['a video with all members', entry({ video })],
  ['members in reverse order', reversed],
  ['JSON over several lines', JSON.stringify(fullEntry(), null, 2)],
  ['long runs of white space', withGaps(full, () => ' \t\r\n'.repeat(10))],
  ['escaped names of members', escapedNames],
  ['nothing but escapes', escapedEverything],
  ['null in every optional member', entryOf(everyNull)],
  ['empty lists', entry({ images: [], hreflang: [], video: { ...shortVideo, tag: [] } })],

  ['escaped slashes', full.replaceAll('/', '\\/')],
  ['short escapes in a text', titledAs('"\\"\\\\\\/\\n\\r\\t"')],
  ['a character as an escape', titledAs('"Caf\\u00e9 \\u00C9 \\u714e"')],
  ['a surrogate pair as escapes', titledAs('"\\ud83d\\ude00 \\uD83D\\uDE00"')],
  ['an escape in a URL', `{"loc":"https:\\u002f\\u002fa.example\\u002fb"}`],
  ['an escape in a date', entryOf('"lastmod":"2026\\u002d01-15"')],
  ['an escape in a code', entryOf('"changefreq":"dail\\u0079"')],
  ['texts in UTF-8', titled('Grüße 煎 😀 \u2028\ufeff\ufffd')],
  ['markup in a text', titled(`</a> & "b" 'c' ]]>`)],
  ['an empty text', titled('')],
  ['the longest text', titled('😀'.repeat(10_000))],

  ['UTF-8 in a path, a query and a fragment', at('https://a.example/straße?ä=煎#😀')],
  ['characters that URLs encode', at('https://a.example/a b|c[0]{1}"<>`^\\')],
  ['a percent sign that begins no escape', at('https://a.example/100%?50%2#5%')],
  ['a second #', at('https://a.example/#a#b')],
  ['characters that XML escapes in a URL', at("https://a.example/?a=1&b='2'")],
  ['a host alone', at('https://a.example')],
  ['a query behind the host', at('https://a.example?q')],
  ['a fragment behind the host', at('https://a.example#f')],
  ['a URL that gets a slash', at('http://a.co')],
  ['a host in upper case', at('HTTPS://WWW.EXAMPLE.COM/')],
  ['a port', at('https://a.example:65535/')],
  ['an empty port', at('https://a.example:/')],
  ['an international host', at('https://bücher.example/')],
  ['A-labels', at('https://xn--bcher-kva.example/')],
  ['an IPv4 address', at('http://192.0.2.7/')],
  ['an IPv6 address', at('http://[2001:db8::1]:80/')],
  ['a host with a trailing dot', at('https://a.example./')],
  ['a host with many labels', at('https://a.b.c.d.e.f.example/')],
  ['a long label', at(`https://${'a'.repeat(63)}.example/`)],
  ['a host without a dot', at('http://localhost/')],
  ['the longest URL', at(url.padEnd(2_048, 'p'))],
  ['the longest URL as written', at(`https://a.example/${'😀'.repeat(169)}`)],
  [
    'URLs of all kinds in an attribute',
    entry({ hreflang: [{ href: 'https://bücher.example/ä&', hreflang: 'de' }] }),
  ],

  ...['2026-01-29', '2026-01-31', '2024-02-29', '2026-04-30', '9999-12-31'].map(
    (date) => [`the date ${date}`, entry({ lastmod: date })] as const,
  ),
  ...['Z', '.1Z', '.123456789Z', '+02:00', '-14:00', '.5+14:00'].map(
    (end) => [`a time that ends in ${end}`, entry({ lastmod: `2026-01-15T23:59:59${end}` })] as const,
  ),
  ...[
    '0',
    '-0',
    '1.0',
    '1e0',
    '1E+0',
    '10e-1',
    '0.10',
    '5e-1',
    '0.12345678901234567',
    '1e-7',
    '1e-24',
    '0.30000000000000004',
  ].map((number) => [`the priority ${number}`, entryOf(`"priority":${number}`)] as const),
  ...['60', '60.0', '6e1', '28800'].map(
    (number) => [`the duration ${number}`, videoWith(`"duration":${number}`)] as const,
  ),
  ...['0', '-0', '9007199254740991', '9.007199254740991e15'].map(
    (number) => [`the view count ${number}`, videoWith(`"view_count":${number}`)] as const,
  ),
  ...['0', '5', '4.25', '1.5e-23'].map(
    (number) => [`the rating ${number}`, videoWith(`"rating":${number}`)] as const,
  ),

  ...['en', 'EN', 'en-GB', 'zh-Hant', 'zh-hant-tw', 'x-default', 'X-DEFAULT'].map(
    (tag) => [`the language ${tag}`, entry({ hreflang: [{ href: url, hreflang: tag }] })] as const,
  ),
  ...['en', 'deu', 'ZH-CN'].map(
    (language) =>
      [
        `the news language ${language}`,
        entry({ news: { ...news, publication: { name: 'N', language } } }),
      ] as const,
  ),
  ...['', 'NASDAQ:GOOG', 'A:1, B:2,C:3,  D:4,E:5', '東証:７２０３', 'É:Ü'].map(
    (stock_tickers) =>
      [`the stock tickers "${stock_tickers}"`, entry({ news: { ...news, stock_tickers } })] as const,
  ),

  ['an unknown member at the end', entryOf('"x":1')],
  ['an unknown member at the beginning', `{"x":"y","loc":"${loc}"}`],
  [
    'unknown members of all types',
    entryOf('"a":null,"b":[true,{}],"c":{"d":[1e5,"\\u0041"]},"e":"","":-0.5e-7'),
  ],
  ['unknown members in every object', full.replaceAll('{"', '{"x":[{"loc":1}],"')],
  ['an unknown member that is nested deeply', entryOf(`"x":${nested(29)}`)],
  ['a long unknown name', entryOf(`"${'n'.repeat(40)}":1`)],
  ['unknown names that are almost known', entryOf('"Loc":1,"lo":2,"locs":3,"__proto__":{},"constructor":4')],
  ['a member twice', entryOf(`"loc":"${loc}2"`)],
  ['a member twice, first with an invalid value', `{"loc":1,"images":7,"loc":"${loc}","images":[]}`],
  ['a member twice, at last null', entryOf('"priority":0.5,"priority":null')],
  ['a member twice, first null', entryOf('"priority":null,"priority":0.5')],
  ['a list twice', entryOf(`"images":[{"loc":"${url}"}],"images":[{"loc":"${url}"},{"loc":"${url}"}]`)],
  ['an object twice', entryOf(`"news":{},"news":${JSON.stringify(news)}`)],

  ['1,000 images', entry({ images: Array(1_000).fill({ loc: url, title: 'T' }) })],
  ['1,000 alternates', entry({ hreflang: Array(1_000).fill({ href: url, hreflang: 'de' }) })],
  ['32 tags', entry({ video: { ...shortVideo, tag: Array(32).fill('T') } })],
];
