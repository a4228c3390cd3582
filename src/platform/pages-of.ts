/**
 * Reads a list page by page, so that memory holds one page. `read`: returns at most `limit` rows after `last`, the last row of the page
 * before. Yields no empty page.
 */
export async function* pagesOf<Row>(
  read: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
  atOnce: number,
): AsyncGenerator<readonly Row[], void, undefined> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(atOnce, last);
    if (rows.length > 0) yield rows;
    if (rows.length < atOnce) return;
    last = rows.at(-1);
  }
}
