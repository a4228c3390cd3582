/**
 * The frame around the entries of a file: XML declaration, stylesheet, root element and extension namespaces.
 * A file declares only the namespaces that it uses, because some consumers refuse namespaces that they do not know.
 */
import { STYLESHEET_FILE } from './file-names.ts';

/** One bit for each extension that an entry, a fragment or a file uses. Combine them with `|`. */
export const NAMESPACE = { image: 1, news: 2, video: 4, xhtml: 8 } as const;

export const NAMESPACE_URIS = {
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
} as const satisfies Record<keyof typeof NAMESPACE, string>;

export const SITEMAP_NAMESPACE_URI = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** The text before the root element of every file. */
export const XML_PROLOG =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<?xml-stylesheet type="text/css" href="/${STYLESHEET_FILE}"?>\n`;
export const URLSET_FOOTER = '</urlset>\n';

/** The text before the first entry of a file that uses these namespaces. ASCII, ends in a newline. */
export function urlsetHeader(namespaces: number): string {
  let declarations = '';
  for (const [prefix, uri] of Object.entries(NAMESPACE_URIS)) {
    if (namespaces & NAMESPACE[prefix as keyof typeof NAMESPACE]) declarations += ` xmlns:${prefix}="${uri}"`;
  }
  return `${XML_PROLOG}<urlset xmlns="${SITEMAP_NAMESPACE_URI}"${declarations}>\n`;
}
