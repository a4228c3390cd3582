/** Encodes values as NDJSON, in chunks of some 64 KiB: small enough for a cache, large enough to cost few writes. */

const CHUNK_LENGTH = 64 * 1024;

/** `check` returns the value to encode, or throws. */
export async function* encodeLines<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  check: (value: Value, index: number) => object,
): AsyncGenerator<Uint8Array, void, undefined> {
  let lines = '';
  let index = 0;
  for await (const value of values) {
    lines += `${JSON.stringify(check(value, index))}\n`;
    index++;
    if (lines.length < CHUNK_LENGTH) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (lines !== '') yield Buffer.from(lines);
}
