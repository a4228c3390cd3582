/** The one address that search engines need: the index of all files. */
import type { DomainDetails, Sitemap } from '../../../client/src/answers.ts';

/** Returns the address. Its origin is that of the first sitemap; without a sitemap, `https://` and the hostname. */
export function submitAddress(
  { hostname }: Pick<DomainDetails, 'hostname'>,
  sitemaps: readonly Pick<Sitemap, 'sitemapUrl'>[],
): string {
  const [first] = sitemaps;
  const origin = first === undefined ? `https://${hostname}` : new URL(first.sitemapUrl).origin;
  return `${origin}/sitemap-index.xml`;
}
