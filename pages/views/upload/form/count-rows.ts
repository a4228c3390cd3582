/** Counts the rows of a file in the browser, before the file is sent. */
import type { UploadForm } from '../file-form.ts';

const CHUNK_BYTES = 4_000_000;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BLANK = 0x20;

/** Returns the number of records that are not blank, a header included. Undefined if `signal` aborts. */
export async function countRows(
  file: Blob,
  form: UploadForm,
  signal: AbortSignal,
): Promise<number | undefined> {
  const quotes = form === 'csv' ? QUOTE : -1;
  let rows = 0;
  let isQuoted = false;
  let hasText = false;
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    if (signal.aborted) return undefined;
    const bytes = new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    for (const byte of bytes) {
      if (byte > BLANK) {
        hasText = true;
        if (byte === quotes) isQuoted = !isQuoted;
      } else if (byte === LINE_FEED && !isQuoted) {
        if (hasText) rows++;
        hasText = false;
      }
    }
  }
  return hasText ? rows + 1 : rows;
}
