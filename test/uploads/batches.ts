/** Batches and fragments as the earlier stages produce them. */
import { createHash } from 'node:crypto';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import type { Batch } from '../../src/features/uploads/fragment.ts';

const renderer = new BatchRenderer();

/** A batch of elements given as text, JSON or not. */
export function batchOfTexts(texts: readonly string[], firstIndex = 0): Batch {
  const ends: number[] = [];
  let end = -1;
  for (const text of texts) {
    end += 1 + Buffer.byteLength(text);
    ends.push(end);
  }
  // A separate buffer, because a batch is transferred to its thread.
  return { bytes: new Uint8Array(Buffer.from(texts.join(','))), ends: Uint32Array.from(ends), firstIndex };
}

export function batchOf(values: readonly unknown[], firstIndex = 0): Batch {
  return batchOfTexts(
    values.map((value) => JSON.stringify(value)),
    firstIndex,
  );
}

/** Made of at most 1,000 entries. */
export function fragmentOf(values: readonly unknown[]): Fragment {
  const result = renderer.render(batchOf(values));
  if (result.kind !== 'fragments') throw new Error(`not valid: ${JSON.stringify(result)}`);
  return result.fragments[0]!;
}

/** Plain entries, numbered from `first`. */
export function plainEntries(count: number, first = 0): { loc: string }[] {
  return Array.from({ length: count }, (_, i) => ({ loc: `https://example.com/${first + i}` }));
}

/** Entries that hardly compress: 1,000 of them make a file that is not small. */
export function bulkyEntries(count: number, first = 0): { loc: string }[] {
  const digest = (n: number) => createHash('sha256').update(String(n)).digest('hex');
  return Array.from({ length: count }, (_, i) => ({ loc: `https://example.com/${digest(first + i)}` }));
}

export async function* asSource<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}
