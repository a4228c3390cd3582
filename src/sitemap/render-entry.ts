/**
 * The XML of one entry, by string concatenation. Elements are in the order of the XSDs, whose sequences are strict.
 * The entry must come from parseEntry.
 */
import type { Alternate, Entry } from './entry.ts';
import { NAMESPACE } from './namespaces.ts';
import { plainDecimal } from './plain-decimal.ts';
import { renderImage, renderNews, renderVideo } from './render-extensions.ts';
import { escapeAttribute, escapeText } from './xml-text.ts';

/** The `<url>` element of an entry, with a newline at the end. Dates, codes and numbers need no escaping. */
export function renderEntry(entry: Entry): string {
  let xml = `<url><loc>${escapeText(entry.loc)}</loc>`;
  if (entry.lastmod !== undefined) xml += `<lastmod>${entry.lastmod}</lastmod>`;
  if (entry.changefreq !== undefined) xml += `<changefreq>${entry.changefreq}</changefreq>`;
  if (entry.priority !== undefined) xml += `<priority>${plainDecimal(entry.priority)}</priority>`;
  if (entry.hreflang !== undefined) for (const alternate of entry.hreflang) xml += renderAlternate(alternate);
  if (entry.images !== undefined) for (const image of entry.images) xml += renderImage(image);
  if (entry.news !== undefined) xml += renderNews(entry.news);
  if (entry.video !== undefined) xml += renderVideo(entry.video);
  return `${xml}</url>\n`;
}

function renderAlternate({ href, hreflang }: Alternate): string {
  return `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${escapeAttribute(href)}"/>`;
}

/** The extension namespaces that the entry's XML uses, as bits of NAMESPACE. */
export function namespacesOf(entry: Entry): number {
  let namespaces = 0;
  if (entry.images !== undefined && entry.images.length > 0) namespaces |= NAMESPACE.image;
  if (entry.news !== undefined) namespaces |= NAMESPACE.news;
  if (entry.video !== undefined) namespaces |= NAMESPACE.video;
  if (entry.hreflang !== undefined && entry.hreflang.length > 0) namespaces |= NAMESPACE.xhtml;
  return namespaces;
}
