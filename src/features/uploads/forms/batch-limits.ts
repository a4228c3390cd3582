/** The size limits of batches, in every form. */
import type { BatchLimits } from '../../../platform/batch-kernel.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';

/**
 * A batch has at most 5,000 entries and about 1 MiB. Batches are so large because every task costs a thread about 100 µs. The end of a
 * batch also ends a fragment. A batch ends at a multiple of 1,000 entries, so the same entries make the same fragments in every form. Only
 * the last batch, and a batch that reaches 2 MiB, end elsewhere. An entry has at most 4 MiB.
 */
export const BATCH_LIMITS: BatchLimits = {
  elements: 5 * ENTRIES_PER_FRAGMENT,
  group: ENTRIES_PER_FRAGMENT,
  bytes: 1024 * 1024,
  maxBytes: 2 * 1024 * 1024,
  elementBytes: 4 * 1024 * 1024,
};

/** Whether a batch ends before the record with the index `next`. `length`: the bytes of the batch. */
export function endsBatch(next: number, length: number): boolean {
  const { elements, group, bytes, maxBytes } = BATCH_LIMITS;
  return next % elements === 0 || length >= maxBytes || (length >= bytes && next % group === 0);
}
