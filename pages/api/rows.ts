/** A list that the service answers in pages. It has the pages that the person has opened so far. */
import { useInfiniteQuery } from '@tanstack/preact-query';
import { getPage, type Page } from './request.ts';

/**
 * `path`: without a cursor. `everyMs`: if given, the list is read again after this time while it has rows. `read`: reads a page, by its path
 * with the cursor.
 */
export function useRows<Row>(
  queryKey: readonly unknown[],
  path: string,
  enabled = true,
  everyMs?: number,
  read: (path: string) => Promise<Page<Row>> = getPage,
) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(withCursor(path, pageParam)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled,
    refetchInterval: ({ state }) =>
      (state.data?.pages.some(({ rows }) => rows.length > 0) && everyMs) || false,
  });
  return { list, rows: list.data?.pages.flatMap((page) => page.rows) ?? [] };
}

function withCursor(path: string, cursor: string): string {
  if (cursor === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}
