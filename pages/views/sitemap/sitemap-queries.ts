/** What the parts of a sitemap's page share: whose sitemap it is, and which generation is live. */
import type { Generation } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';

export interface SitemapId {
  readonly domainId: string;
  readonly name: string;
}

export const sitemapKey = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainKey(domainId, 'sitemaps', name, ...below);

export const sitemapPath = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainPath(domainId, 'sitemaps', name, ...below);

export function useGenerations(sitemap: SitemapId) {
  const { list, rows } = useRows<Generation>(
    sitemapKey(sitemap, 'generations'),
    sitemapPath(sitemap, 'generations'),
  );
  return { list, rows, live: rows.find(({ live }) => live) };
}
