/**
 * The frame around the entries of a file: XML declaration, stylesheet, root element and the extension namespaces in use.
 * A namespace is declared only where it is used, since some consumers refuse what they do not know.
 */

import { STYLESHEET_FILE } from './file-names.ts';

/** Bits of the extensions that an entry, a fragment or a file uses; combine them with `|`. */
export const NAMESPACE = { image: 1, news: 2, video: 4, xhtml: 8 } as const;

const NAMESPACE_URIS = {
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
} as const satisfies Record<keyof typeof NAMESPACE, string>;

export const SITEMAP_NAMESPACE_URI = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** What stands before the root element of every file. */
export const XML_PROLOG =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<?xml-stylesheet type="text/css" href="/${STYLESHEET_FILE}"?>\n`;
export const URLSET_FOOTER = '</urlset>\n';

/** What stands before the first entry of a file that uses these namespaces. ASCII; ends in a newline. */
export function urlsetHeader(namespaces: number): string {
  let declarations = '';
  for (const [prefix, uri] of Object.entries(NAMESPACE_URIS)) {
    if (namespaces & NAMESPACE[prefix as keyof typeof NAMESPACE]) declarations += ` xmlns:${prefix}="${uri}"`;
  }
  return `${XML_PROLOG}<urlset xmlns="${SITEMAP_NAMESPACE_URI}"${declarations}>\n`;
}
