/** A page host is an origin (scheme, host and port) whose pages are in sitemaps of a domain. */

/**
 * The state of a page host is the effect of its robots.txt for the sitemaps of a domain:
 *
 * | state | crawlers |
 * |---|---|
 * | unchecked | not known before the first check |
 * | found | may take its URLs from the sitemaps |
 * | partly | may take them from some of the sitemaps, and drop those of the others |
 * | missing | drop its URLs |
 * | disallowed | take them from the sitemaps, but may not read the pages |
 * | unreachable | cannot read robots.txt, so many of them stop crawling the host |
 */
export const PAGE_HOST_STATES = [
  'unchecked',
  'found',
  'partly',
  'missing',
  'disallowed',
  'unreachable',
] as const;

export type PageHostState = (typeof PAGE_HOST_STATES)[number];

/** The most page hosts of a sitemap, and of a domain. The page hosts with the most URLs are kept. */
export const MAX_PAGE_HOSTS = 100;

export interface PageHost {
  readonly origin: string;
  readonly urlCount: number;
  readonly state: PageHostState;
  /** A text for people: the content of robots.txt, the wanted content, and the cure. Null before the first check. */
  readonly message: string | null;
  readonly checkedAt: Date | null;
  readonly nextCheckAt: Date;
}

export function robotsUrlOf(origin: string): string {
  return `${origin}/robots.txt`;
}

/** Crawlers trust a sitemap for pages of its own host without a line in robots.txt. */
export function isHostOf(hostname: string, origin: string): boolean {
  return new URL(origin).hostname === hostname;
}
