/** A list that the service answers in pages. It has the pages that the person has opened so far. */
import { useInfiniteQuery } from '@tanstack/preact-query';
import { getPage } from './request.ts';

/** `path`: without a cursor. `everyMs`: if given, the list is read again after this time while it has rows. */
export function useRows<Row>(queryKey: readonly unknown[], path: string, enabled = true, everyMs?: number) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => getPage<Row>(withCursor(path, pageParam)),
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
