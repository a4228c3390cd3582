/** Makes NDJSON of numbered URLs, at next to no cost for the client: only the digits of each line differ. */
const HEAD = '{"loc":"https://www.example.com/p/';
export const DIGITS = 9;
const LINES_OF_CHUNK = 5000;

/** Returns the `lastmod` that marks the entries of a version. */
export function timeOf(version: number): string {
  return `2026-01-${String(1 + version).padStart(2, '0')}`;
}

/** The lines of the URLs from number `first` on. */
export function* numberedLines(
  first: number,
  count: number,
  version: number,
): Generator<Buffer, void, undefined> {
  const line = `${HEAD}${'0'.repeat(DIGITS)}","lastmod":"${timeOf(version)}"}\n`;
  for (let done = 0; done < count; done += LINES_OF_CHUNK) {
    const lines = Math.min(LINES_OF_CHUNK, count - done);
    const chunk = Buffer.alloc(lines * line.length, line);
    for (let i = 0; i < lines; i++) putNumber(chunk, i * line.length + HEAD.length, first + done + i);
    yield chunk;
  }
}

function putNumber(into: Buffer, at: number, number: number): void {
  for (let rest = number, i = at + DIGITS - 1; i >= at; i--) {
    into[i] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** The text before the number of a `loc`, and the text after the number. */
export const LOC = '<loc>https://www.example.com/p/';
export const AFTER_LOC = '</loc><lastmod>';
