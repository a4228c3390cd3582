/** The names of a domain's files. A sitemap's name has no dot, so it cannot collide with the name of a part. */
import { MAX_FILES_PER_INDEX } from './limits.ts';

/** The name of the unnamed sitemap. Its file is `sitemap.xml`. */
export const DEFAULT_SITEMAP = '';

/** The index of all sitemaps of a domain. A sitemap called `index` would have the same file name, so no sitemap may have this name. */
export const DOMAIN_INDEX_FILE = 'sitemap-index.xml';

/**
 * The stylesheet that browsers use for the files (docs/decisions/0020). The names of all files end in `.xml`, except those of the stylesheet,
 * of the feed and of `robots.txt`.
 */
export const STYLESHEET_FILE = 'sitemap.css';

/** The feed of changes of a domain that has a sitemap of recent changes. */
export const FEED_FILE = 'changes.atom';

/** The file that names the sitemaps of a domain to crawlers. */
export const ROBOTS_FILE = 'robots.txt';

/** A `sitemapName`. A client selects the unnamed sitemap by giving no name. */
export const SITEMAP_NAME = /^(?!(?:index|default)$)[A-Za-z0-9_-]{1,64}$/;

/** The name of the unnamed sitemap in the API's paths. No other sitemap may have this name. */
const DEFAULT_SITEMAP_ALIAS = 'default';

/** The name of a sitemap for users. The unnamed sitemap has one too. */
export function shownSitemapName(name: string): string {
  return name === DEFAULT_SITEMAP ? DEFAULT_SITEMAP_ALIAS : name;
}

/** The stored name of the sitemap that users call `shown`. */
export function givenSitemapName(shown: string): string {
  return shown === DEFAULT_SITEMAP_ALIAS ? DEFAULT_SITEMAP : shown;
}

export function isSitemapName(text: string): boolean {
  return SITEMAP_NAME.test(text);
}

/** The file at the sitemap's address: its only file, or the index of its parts. */
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

export function isFileName(file: string): boolean {
  return (
    file === ROBOTS_FILE ||
    file === STYLESHEET_FILE ||
    file === FEED_FILE ||
    parseFileName(file) !== undefined
  );
}

/** Parses a file name without slash and query. Returns undefined if no domain can have a file of this name. */
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
