/** Compares the number of entries that came with the number that the client announced. */
import { Refusal } from '../platform/refusal.ts';
import type { Batch } from './fragment.ts';

/** `received` is called for each batch before it is yielded, with the number of entries up to its end. */
export async function* countEntries(
  batches: AsyncIterable<Batch>,
  received: (count: number) => void,
): AsyncGenerator<Batch, void, undefined> {
  for await (const batch of batches) {
    received(batch.firstIndex + batch.ends.length);
    yield batch;
  }
}

/** Entries that came, the invalid ones too. Throws Refusal unless they are as many as announced. */
export function refuseOtherCount(urlCount: number, expected: number | undefined): void {
  if (expected === undefined || urlCount === expected) return;
  throw otherCount(urlCount, expected, `but the upload has ${shown(urlCount)} URLs`);
}

/** While more may come. */
export function refuseHigherCount(urlCount: number, expected: number | undefined): void {
  if (expected === undefined || urlCount <= expected) return;
  throw otherCount(urlCount, expected, `but the upload has ${shown(urlCount)} URLs or more`);
}

function otherCount(urlCount: number, expected: number, but: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `expectedUrlCount: is ${shown(expected)}, ${but}`, {
    details: { field: 'expectedUrlCount', value: expected, urlCount },
  });
}

const shown = (count: number) => count.toLocaleString('en-US');
