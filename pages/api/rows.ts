/** A list that comes in pages, as far as somebody has read it. */
import { useInfiniteQuery } from '@tanstack/preact-query';
import { getPage } from './request.ts';

/** `path`: without a cursor. `everyMs`: reads it again after this time, while it has rows. */
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
