/** Reads the rows of a list: all of them, or the first `limit`. */
export async function allOf<Row>(rows: AsyncIterable<Row>, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const all: Row[] = [];
  if (limit === 0) return all;
  for await (const row of rows) {
    all.push(row);
    if (all.length >= limit) break;
  }
  return all;
}
