/** The queries about a sitemap that several pages share, and the addresses of its pages. */
import { useQuery } from '@tanstack/preact-query';
import type { Generation, SitemapChanges } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { ApiError, get, getPage } from '../../api/request.ts';
import { useRows } from '../../api/rows.ts';

export interface SitemapId {
  readonly domainId: string;
  readonly name: string;
}

export const sitemapKey = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainKey(domainId, 'sitemaps', name, ...below);

export const sitemapPath = ({ domainId, name }: SitemapId, ...below: readonly string[]) =>
  domainPath(domainId, 'sitemaps', name, ...below);

export const sitemapPage = ({ domainId, name }: SitemapId) => domainPage(domainId, 'sitemaps', name);

/** Two generations that are compared, by their numbers. */
export interface Pair {
  readonly from: number;
  readonly to: number;
}

export type ChangeKind = 'added' | 'changed' | 'removed';

/**
 * Returns the address of the page that compares two generations. Without `to`, the page takes the live one. Without `from`, it takes the
 * last kept one before `to`.
 */
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

/** The time between two reads while `waits` returns true. */
const ASK_AGAIN_MS = 3000;

/** Reads the changes of the live generation. `waits`: whether to read them again, by the last answer. */
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

/** Reads the generations. A sitemap that does not exist yet has none. */
export function useGenerations(sitemap: SitemapId) {
  const { list, rows } = useRows<Generation>(
    sitemapKey(sitemap, 'generations'),
    sitemapPath(sitemap, 'generations'),
    true,
    undefined,
    (path) =>
      getPage<Generation>(path).catch((error) => {
        if (error instanceof ApiError && error.status === 404) return { rows: [], next: undefined };
        throw error;
      }),
  );
  return { list, rows, live: rows.find(({ live }) => live) };
}
