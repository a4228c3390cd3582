/** The two coded fields of Google News, by its XSD (sitemap-news/0.9). */
import { MAX_STOCK_TICKERS, MAX_TEXT_LENGTH } from './limits.ts';

const NEWS_LANGUAGE = /^(?:zh-cn|zh-tw|[a-z]{2,3})$/i;

/** Whether the text is a publication's language, in any letter case: 2 or 3 letters, `zh-cn` or `zh-tw`. */
export function isNewsLanguage(text: string): boolean {
  return NEWS_LANGUAGE.test(text);
}

// XSD's `\w` excludes punctuation (also `_`), separators, and control and unassigned characters.
const WORD = String.raw`[\p{L}\p{M}\p{N}\p{S}]+`;
const TICKER = `${WORD}:${WORD}`;
const STOCK_TICKERS = new RegExp(`^(?:${TICKER}(?:, *${TICKER}){0,${MAX_STOCK_TICKERS - 1}})?$`, 'u');

/** Whether the text is a comma-separated list of `EXCHANGE:SYMBOL`. As in the XSD, it may be empty. */
export function isStockTickers(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && STOCK_TICKERS.test(text);
}
