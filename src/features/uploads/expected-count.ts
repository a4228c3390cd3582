/** Compares the number of received entries with the number that the client announced. */
import { invalidField, type Refusal } from '../../platform/refusal.ts';
import { counted } from '../../platform/words.ts';
import type { Batch } from './fragment.ts';

/** Counts entries. `received`: called for each batch before it is yielded, with the number of entries up to its end. */
export async function* countEntries(
  batches: AsyncIterable<Batch>,
  received: (count: number) => void,
): AsyncGenerator<Batch, void, undefined> {
  for await (const batch of batches) {
    received(batch.firstIndex + batch.ends.length);
    yield batch;
  }
}

/** Throws Refusal unless `urlCount` is the announced number. `urlCount` includes invalid entries, but no filtered ones. */
export function refuseOtherCount(urlCount: number, expected: number | undefined): void {
  if (expected === undefined || urlCount === expected) return;
  throw otherCount(urlCount, expected, `but the upload has ${counted(urlCount)} URLs`);
}

/** Throws Refusal if there are more entries than announced. Call this while more entries may come. */
export function refuseHigherCount(urlCount: number, expected: number | undefined): void {
  if (expected === undefined || urlCount <= expected) return;
  throw otherCount(urlCount, expected, `but the upload has ${counted(urlCount)} URLs or more`);
}

function otherCount(urlCount: number, expected: number, but: string): Refusal {
  return invalidField('expectedUrlCount', expected, `is ${counted(expected)}, ${but}`, { urlCount });
}
