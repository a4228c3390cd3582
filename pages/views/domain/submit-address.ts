/** The one address that search engines need: the index of all files. */
import type { DomainDetails, Sitemap } from '../../../client/src/answers.ts';

/** `sitemaps`: their addresses have the origin as the service says it. */
export function submitAddress(
  { hostname }: Pick<DomainDetails, 'hostname'>,
  sitemaps: readonly Pick<Sitemap, 'sitemapUrl'>[],
): string {
  const [first] = sitemaps;
  const origin = first === undefined ? `https://${hostname}` : new URL(first.sitemapUrl).origin;
  return `${origin}/sitemap-index.xml`;
}
