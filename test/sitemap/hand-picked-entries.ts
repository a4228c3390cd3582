/**
 * Entries that are likely to expose a fault, each in a form that validation leaves unchanged. Every judge of our files
 * gets them, in addition to generated ones.
 */
import { fullEntry } from './full-entry.ts';

const loc = 'https://example.com/';
const { news, video, images, hreflang } = fullEntry();
const { publication, publication_date, title } = news;
const { thumbnail_loc, content_loc, player_loc } = video;
const shortVideo = { thumbnail_loc, title: 'T', description: 'D', content_loc };
const longUrl = `${loc}${'&'.repeat(2_028)}`;

export const HAND_PICKED_ENTRIES: readonly [what: string, entry: object][] = [
  ['every member', fullEntry()],
  ['a loc alone', { loc }],
  [
    'only the required members of everything',
    {
      loc,
      images: [{ loc }],
      hreflang: [{ href: loc, hreflang: 'x-default' }],
      news: { publication, publication_date, title },
      video: shortVideo,
    },
  ],
  ['images alone', { loc, images }],
  ['alternates alone', { loc, hreflang }],
  ['news alone', { loc, news }],
  ['a video alone', { loc, video }],
  [
    'a player instead of a content address',
    { loc, video: { ...shortVideo, content_loc: undefined, player_loc } },
  ],
  [
    'numbers that are zero and booleans that are false',
    {
      loc,
      priority: 0,
      video: { ...shortVideo, rating: 0, view_count: 0, live: false, family_friendly: false },
    },
  ],
  [
    'numbers that JavaScript prints with an exponent',
    { loc, priority: 1e-7, video: { ...shortVideo, rating: 1.5e-23 } },
  ],
  [
    'the largest numbers',
    {
      loc,
      priority: 1,
      video: { ...shortVideo, rating: 5, view_count: 2 ** 53 - 1, duration: 28_800 },
    },
  ],
  ['numbers that must not be rounded', { loc, priority: 0.64, video: { ...shortVideo, rating: 0.1 + 0.2 } }],
  [
    'the least and the latest of dates',
    {
      loc,
      lastmod: '0001-01-01',
      video: {
        ...shortVideo,
        publication_date: '9999-12-31T23:59:59.999999999-14:00',
        expiration_date: '2024-02-29',
      },
    },
  ],
  [
    'texts that are empty',
    { loc, images: [{ loc, title: '', caption: '' }], news: { ...news, keywords: '', stock_tickers: '' } },
  ],
  [
    'texts of white space',
    {
      loc,
      images: [{ loc, title: ' ', caption: '\t\n\r\n\r' }],
      video: { ...shortVideo, title: ' ', tag: [' a '] },
    },
  ],
  [
    'texts that look like markup',
    {
      loc,
      images: [{ loc, title: '</image:title>', caption: '<![CDATA[x]]>', geo_location: ']]>' }],
      video: { ...shortVideo, title: '<!-- -->', description: '&amp;&#13;&lt;', category: '<?xml?>' },
    },
  ],
  [
    'every character that needs a reference',
    {
      loc: `${loc}?a&b'c`,
      hreflang: [{ href: `${loc}?a&b'c`, hreflang: 'en' }],
      video: { ...shortVideo, uploader: { name: `&<>"'\t\n\r`, info: `${loc}?a&b'c` } },
    },
  ],
  [
    'characters beyond the ordinary',
    {
      loc,
      images: [
        { loc, title: '😀\u{10ffff}', caption: '\u0085\u2028\ufeff\ufffd', geo_location: 'e\u0301\u200f' },
      ],
    },
  ],
  [
    'URLs at their longest',
    {
      loc: longUrl,
      hreflang: [{ href: longUrl, hreflang: 'en' }],
      images: [{ loc: longUrl, license: longUrl }],
    },
  ],
  [
    'URLs of all kinds',
    {
      loc: 'HTTP://A_b.example:65535',
      images: [
        { loc: 'https://example.com.:0080?' },
        { loc: 'https://example.com#' },
        { loc: "http://a!$&'()+,;=~b.com/%7B%7D" },
        { loc: 'http://[::ffff:192.0.2.7]/%25' },
        { loc: 'https://xn--mnchen-3ya.de/%F0%9F%98%80' },
        { loc: 'https://example.com/a/../b//c/./d' },
      ],
    },
  ],
  [
    'texts at their longest',
    {
      loc,
      news: { ...news, title: '😀'.repeat(10_000) },
      video: {
        ...shortVideo,
        title: '😀'.repeat(100),
        description: '"'.repeat(2_048),
        category: '😀'.repeat(256),
        uploader: { name: '😀'.repeat(255) },
        tag: Array.from({ length: 32 }, (_, i) => `tag ${i}`),
      },
    },
  ],
  [
    'lists at their longest',
    {
      loc,
      images: Array(1_000).fill({ loc }),
      hreflang: Array(1_000).fill({ href: loc, hreflang: 'zh-Hant-TW' }),
    },
  ],
];
