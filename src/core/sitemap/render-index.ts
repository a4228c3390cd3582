/** The XML of a sitemap index: a list of files, each with the time when its content last changed. */
import { SITEMAP_NAMESPACE_URI, XML_PROLOG } from './namespaces.ts';
import { escapeText } from './xml-text.ts';

export const INDEX_HEADER = `${XML_PROLOG}<sitemapindex xmlns="${SITEMAP_NAMESPACE_URI}">\n`;
export const INDEX_FOOTER = '</sitemapindex>\n';

/** One file of an index. A Date is written in whole seconds, UTC. A string must have that form, and is written unchanged. */
export function renderIndexEntry(loc: string, lastmod: Date | string): string {
  const time = typeof lastmod === 'string' ? lastmod : lastmod.toISOString().replace(/\.\d+Z$/, 'Z');
  return `<sitemap><loc>${escapeText(loc)}</loc><lastmod>${escapeText(time)}</lastmod></sitemap>\n`;
}
