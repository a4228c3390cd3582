/** How the files of a domain are called. A dot cannot stand in a sitemap's name, so no name collides with a part. */
import { MAX_FILES_PER_INDEX } from './limits.ts';

/** The name of the sitemap that was uploaded without one: its file is `sitemap.xml`. */
export const DEFAULT_SITEMAP = '';

/** The domain-wide index. Because of it no sitemap may be called `index`. */
export const DOMAIN_INDEX_FILE = 'sitemap-index.xml';

/** What browsers show the files by (docs/decisions/0020). Every other name ends in `.xml`. */
export const STYLESHEET_FILE = 'sitemap.css';

const SITEMAP_NAME = /^(?!(?:index|default)$)[A-Za-z0-9_-]{1,64}$/;

/** What the API's paths call the unnamed sitemap. Because of it no sitemap may be called `default`. */
export const DEFAULT_SITEMAP_ALIAS = 'default';

/** Whether the text may be given as a `sitemapName`; the unnamed sitemap is asked for by giving none. */
export function isSitemapName(text: string): boolean {
  return SITEMAP_NAME.test(text);
}

/** The sitemap's address: its only file, or the index of its parts. */
export function sitemapFileName(name: string): string {
  return `${stem(name)}.xml`;
}

/** Part `n` (from 1) of a sitemap of several files. */
export function partFileName(name: string, n: number): string {
  return `${stem(name)}.${n}.xml`;
}

function stem(name: string): string {
  return name === DEFAULT_SITEMAP ? 'sitemap' : `sitemap-${name}`;
}

const FILE_NAME = /^sitemap(?:-([A-Za-z0-9_-]+))?(?:\.([1-9]\d{0,4}))?\.xml$/;

export type ParsedFileName =
  | { kind: 'index' }
  | { kind: 'sitemap'; name: string }
  | { kind: 'part'; name: string; n: number };

/** Which file a name (no slash, no query) asks for, or undefined if a domain can have none of that name. */
export function parseFileName(file: string): ParsedFileName | undefined {
  if (file === DOMAIN_INDEX_FILE) return { kind: 'index' };
  const match = FILE_NAME.exec(file);
  if (match === null) return undefined;
  const [, name = DEFAULT_SITEMAP, part] = match;
  if (name !== DEFAULT_SITEMAP && !isSitemapName(name)) return undefined;
  if (part === undefined) return { kind: 'sitemap', name };
  const n = Number(part);
  return n <= MAX_FILES_PER_INDEX ? { kind: 'part', name, n } : undefined;
}
