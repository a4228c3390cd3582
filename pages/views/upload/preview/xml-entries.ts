/**
 * The first entries of an XML sitemap. Without a parser: the policy of the page has none for strangers'
 * markup.
 */
import { cellText, type FirstEntries, SHOWN_ENTRIES } from './first-entries.ts';

const COLUMNS = ['loc', 'lastmod', 'changefreq', 'priority'];
const ENCODING = /^<\?xml[^>]{0,200}encoding=["']([^"'>]{1,40})["']/;
const ROOT = /<(?:[A-Za-z_][\w.-]{0,100}:)?([A-Za-z_][\w.-]{0,100})/;
const CHARACTERS: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};
const REFERENCE = /&(?:lt|gt|quot|apos|amp);/g;

const OTHER_ROOTS: Readonly<Record<string, string>> = {
  sitemapindex: 'This is an index of sitemaps. Upload the sitemaps that it names instead.',
  html: 'This is a web page, not a sitemap.',
  rss: 'This is an RSS feed, not a sitemap.',
  feed: 'This is an Atom feed, not a sitemap.',
};

export function xmlEntries(text: string): FirstEntries {
  const document = text.trimStart();
  const rows = document
    .split('<url>')
    .slice(1, SHOWN_ENTRIES + 1)
    .filter((entry) => entry.includes('</url>'))
    .map((entry) => COLUMNS.map((name) => contentOf(entry, name)));
  const used = COLUMNS.filter((_, column) => rows.some((row) => row[column] !== ''));
  const columns = used.map((name) => COLUMNS.indexOf(name));
  return {
    columns: used,
    rows: rows.map((row) => columns.map((column) => row[column]!)),
    problems: [...problemsOf(document)],
  };
}

function* problemsOf(document: string): Generator<string> {
  const encoding = ENCODING.exec(document)?.[1];
  if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
    yield `The file says that it is in ${encoding}. Save it again in UTF-8.`;
  }
  const root = ROOT.exec(document)?.[1];
  if (root === undefined || root === 'urlset') return;
  yield OTHER_ROOTS[root.toLowerCase()] ?? `The root of a sitemap is “urlset”, but here it is “${root}”.`;
}

function contentOf(entry: string, name: string): string {
  const open = `<${name}>`;
  const start = entry.indexOf(open);
  const end = entry.indexOf('<', start + open.length);
  if (start < 0 || end < 0) return '';
  const content = entry.slice(start + open.length, end).trim();
  return cellText(content.replace(REFERENCE, (reference) => CHARACTERS[reference]!));
}
