/** A list that comes in pages, as far as somebody has read it. */
import { useInfiniteQuery } from '@tanstack/preact-query';
import { getPage } from './request.ts';

/** `path`: without a cursor. */
export function useRows<Row>(queryKey: readonly unknown[], path: string, enabled = true) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => getPage<Row>(withCursor(path, pageParam)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled,
  });
  return { list, rows: list.data?.pages.flatMap((page) => page.rows) ?? [] };
}

function withCursor(path: string, cursor: string): string {
  if (cursor === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}
