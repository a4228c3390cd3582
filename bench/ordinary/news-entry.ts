/** Entries of a newspaper: each page is an article with keywords and the companies that it is about. */
import { generatedEntry } from '../../tools/generated-upload.ts';

const HEADLINES = [
  'Companies A and B are in merger talks',
  'Council votes for a "green" harbour',
  'Rail & road: what the new budget pays for',
  "The minister's answer to the farmers",
  'Harvest begins two weeks early',
];
const KEYWORDS = [
  'business, merger, acquisition',
  'city, harbour, climate',
  'traffic, budget',
  'farming, politics',
];
const TICKERS = ['NASDAQ:A, NASDAQ:B', 'NYSE:C', 'XETRA:DE, LSE:UK', 'TYO:7203'];

export function newsEntry(i: number) {
  const { lastmod, ...entry } = generatedEntry(i);
  return {
    ...entry,
    loc: `https://www.example.com/news/${lastmod.replaceAll('-', '/')}/article-${i}`,
    lastmod,
    news: {
      publication: { name: 'The Example Times', language: i % 10 === 0 ? 'de' : 'en' },
      publication_date: `${lastmod}T${String(i % 24).padStart(2, '0')}:30:00+01:00`,
      title: `${HEADLINES[i % HEADLINES.length]} (${i})`,
      keywords: KEYWORDS[i % KEYWORDS.length]!,
      stock_tickers: TICKERS[i % TICKERS.length]!,
    },
  };
}
