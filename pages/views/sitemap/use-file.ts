/** The file that the address of the page names, by its number. */
import { useEffect } from 'preact/hooks';
import type { SitemapFile } from '../../../src/edges/dashboard/wire.ts';
import type { useRows } from '../../api/rows.ts';

/** Reads the list on until it has the file `n`. Files come in the order of their numbers. `isToCome`: the list does not reach `n` yet. */
export function useFile(n: number, { list, rows }: ReturnType<typeof useRows<SitemapFile>>) {
  const isToCome = list.hasNextPage && rows.at(-1)!.n < n;
  const readsOn = isToCome && !list.isFetching && !list.isError;
  useEffect(() => {
    if (readsOn) void list.fetchNextPage();
  }, [readsOn]);
  return { file: rows.find((file) => file.n === n), isToCome };
}
