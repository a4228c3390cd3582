/** The queries that the parts of a sitemap's page share: the sitemap and its live generation. */
import { useQuery } from '@tanstack/preact-query';
import type { Generation, SitemapChanges } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { get } from '../../api/request.ts';
import { useRows } from '../../api/rows.ts';

export interface SitemapId {
  readonly domainId: string;
  readonly name: string;
}

export const sitemapKey = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainKey(domainId, 'sitemaps', name, ...below);

export const sitemapPath = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainPath(domainId, 'sitemaps', name, ...below);

/** The address of its page. */
export const sitemapPage = ({ domainId, name }: SitemapId) => domainPage(domainId, 'sitemaps', name);

/** Two generations that are compared, by their numbers. */
export interface Pair {
  readonly from: number;
  readonly to: number;
}

export type ChangeKind = 'added' | 'changed' | 'removed';

/** Returns the address of the page that compares two generations. Without `from`, the page compares with the last one before `to`. */
export function changesPage(
  { domainId, name }: SitemapId,
  { from, to }: Partial<Pair>,
  kind?: ChangeKind,
): string {
  const query = new URLSearchParams({
    ...(from !== undefined && { from: String(from) }),
    ...(to !== undefined && { to: String(to) }),
    ...(kind && { kind }),
  });
  return `${domainPage(domainId, 'sitemaps', name, 'changes')}?${query}`;
}

/** While a comparison is waited for. */
const ASK_AGAIN_MS = 3000;

/** The changes of the live generation. They are read again while `waits` holds for the last answer. */
export function useLastChanges(
  sitemap: SitemapId,
  waits: (changes: SitemapChanges | undefined) => boolean = () => false,
) {
  return useQuery({
    queryKey: sitemapKey(sitemap, 'changes'),
    queryFn: () => get<SitemapChanges>(sitemapPath(sitemap, 'changes')),
    refetchInterval: ({ state }) => (waits(state.data) ? ASK_AGAIN_MS : false),
  });
}

export function useGenerations(sitemap: SitemapId) {
  const { list, rows } = useRows<Generation>(
    sitemapKey(sitemap, 'generations'),
    sitemapPath(sitemap, 'generations'),
  );
  return { list, rows, live: rows.find(({ live }) => live) };
}
