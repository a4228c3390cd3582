/** Values of the coded members: changefreq, languages and stock tickers. */
import { MAX_TEXT_LENGTH } from '../../../src/core/sitemap/limits.ts';
import type { Random } from './random.ts';
import { anyCase } from './strings.ts';
import { words } from './words.ts';

const CHANGEFREQS = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];
const ODD_CHANGEFREQS = ['', 'sometimes', 'Daily', 'NEVER', 'a', 'x', '{', '~', '`', 'é', '\0', 'd\u0131ily'];

const LANGUAGES = words(`
  en de zh en-GB de-AT zh-TW zh-Hant zh-Hant-TW sr-Latn-RS az-Cyrl pt-BR x-default ar he is ja kk ss
`);
const ODD_LANGUAGES = [
  ...words(`
    e xx english eng en- -en en_GB en-UK en-EU es-419 en-Xxxx en-GB-Latn en--GB en-Latn-GB-x x-defaul x-defaultx
    xdefault e\u017f \u212a\u212a \u017fs en-\u212aR é en-GBé 1n zh-Hant-TWx zh-Hant-T x-\u0131default ＥＮ
  `),
  ...['', 'x-default ', ' en', 'en ', 'en\n', 'en\0', '\0en', 'a'.repeat(255)],
];

const NEWS_LANGUAGES = ['en', 'de', 'deu', 'zh-cn', 'zh-tw', 'xx', 'qqq'];
const ODD_NEWS_LANGUAGES = [
  ...words('e engl en-GB zh-hk zh-c zh-cnn zhcn zh_cn e1 é eé e\u017f \u212aa Ꭰn İn x-default'),
  ...['', ' en', 'en ', 'en\n', 'en\0', '\0en'],
];

const TICKERS = words('NASDAQ:GOOG NYSE:A A:1 BOM:500 É:Ü ß:株 €:¥ 😀:\u0301 東証:７２０３ a+b:$=|~^`<>');
const ODD_TICKERS = [
  ...words('GOOG A: :A A:B:C _:A A-B:C A.B:C A:" A:& A:\u200d'),
  ...['A :B', 'A: B', 'A:\0', 'A:\ud800'],
];
const listed = (count: number, comma = ',') =>
  Array.from({ length: count }, (_, i) => TICKERS[i % 10]).join(comma);
const NOTABLE_TICKERS = [
  ...[
    '',
    ' ',
    ',',
    'A:1,',
    ',A:1',
    'A:1,,B:2',
    'A:1;B:2',
    'A:1 ,B:2',
    'A:1,\tB:2',
    'A:1,\u00a0B:2',
    ' A:1',
    'A:1 ',
    'A:1\n',
  ],
  ...[1, 2, 4, 5, 6, 7].flatMap((count) => [',', ', ', ',   '].map((comma) => listed(count, comma))),
  // The limit counts UTF-16 units here.
  ...[MAX_TEXT_LENGTH - 1, MAX_TEXT_LENGTH, MAX_TEXT_LENGTH + 1].map(
    (length) => `A:${'b'.repeat(length - 2)}`,
  ),
  ...[MAX_TEXT_LENGTH - 2, MAX_TEXT_LENGTH, MAX_TEXT_LENGTH + 2].map(
    (units) => `A:${'😀'.repeat(units / 2 - 1)}`,
  ),
  `A:1,${' '.repeat(MAX_TEXT_LENGTH - 7)}B:2`,
  `A:1,${' '.repeat(MAX_TEXT_LENGTH - 6)}B:2`,
  ...[...TICKERS, ...ODD_TICKERS].flatMap((ticker) => [ticker, `A:1,${ticker}`, `${ticker}, A:1`]),
];

const inEveryCase = (codes: readonly string[]) => [
  ...codes,
  ...codes.map((code) => code.toUpperCase()),
  ...codes.map(alternating),
];
const alternating = (code: string) =>
  code.replace(/./gsu, (letter, at) => (at % 2 ? letter.toUpperCase() : letter));

/** Returns the code with one letter less, more or different. */
const almost = (code: string) => [
  code.slice(0, -1),
  code.slice(1),
  `${code}x`,
  `${code} `,
  code.replace(/.$/, '_'),
  `${code}\0`,
];

export const NOTABLE_CODES = {
  changefreq: [...CHANGEFREQS, ...ODD_CHANGEFREQS, ...CHANGEFREQS.flatMap(almost)],
  language: [...inEveryCase(LANGUAGES), ...ODD_LANGUAGES, ...LANGUAGES.flatMap(almost)],
  newsLanguage: [...inEveryCase(NEWS_LANGUAGES), ...ODD_NEWS_LANGUAGES, ...NEWS_LANGUAGES.flatMap(almost)],
  stockTickers: NOTABLE_TICKERS,
} as const;

export function randomCode(kind: keyof typeof NOTABLE_CODES, random: Random, isOdd: boolean): string {
  if (isOdd) return random.pick(NOTABLE_CODES[kind]);
  switch (kind) {
    case 'changefreq':
      return random.pick(CHANGEFREQS);
    case 'language':
      return random.onceIn(3) ? anyCase(random.pick(LANGUAGES), random) : random.pick(LANGUAGES);
    case 'newsLanguage':
      return random.onceIn(3) ? anyCase(random.pick(NEWS_LANGUAGES), random) : random.pick(NEWS_LANGUAGES);
    case 'stockTickers':
      return listed(random.below(6), random.pick([',', ', ']));
  }
}
