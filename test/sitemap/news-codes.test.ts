import { expect, test } from 'vitest';
import { isNewsLanguage, isStockTickers } from '../../src/core/sitemap/news-codes.ts';

test.each(['en', 'EN', 'deu', 'zh-cn', 'ZH-TW'])('%s is a language of a publication', (code) => {
  expect(isNewsLanguage(code)).toBe(true);
});

test.each(['', 'e', 'engl', 'en-GB', 'zh-hk', 'zh_cn', 'e1', 'en\n'])(
  '%j is not a language of a publication',
  (code) => {
    expect(isNewsLanguage(code)).toBe(false);
  },
);

test.each(['', 'NASDAQ:GOOG', 'A:1, B:2,C:3,   D:4, E:5', 'ÉÜ:ß'])('%j lists stock tickers', (tickers) => {
  expect(isStockTickers(tickers)).toBe(true);
});

test.each([
  'GOOG',
  'NASDAQ:',
  ':GOOG',
  'A:B:C',
  'A:1;B:2',
  'A:1 ,B:2',
  ' A:1',
  'A:1,',
  'A:1,\tB:2',
  'NYSE:BRK.B',
  'A_B:C',
  'A:1, B:2, C:3, D:4, E:5, F:6',
])('%j does not list stock tickers', (tickers) => {
  expect(isStockTickers(tickers)).toBe(false);
});
