/** The size limits of batches, in every form. */
import type { BatchLimits } from '../../../platform/batch-kernel.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';

/**
 * A batch has at most 5,000 entries and about 1 MiB. It is so large because every task costs a thread about 100 µs. The end of a batch
 * also ends a fragment. A batch ends at a multiple of 1,000 entries, so the same entries make the same fragments in every form. Only the
 * last batch, or one that reaches 2 MiB, ends elsewhere. An entry has at most 4 MiB.
 */
export const BATCH_LIMITS: BatchLimits = {
  elements: 5 * ENTRIES_PER_FRAGMENT,
  group: ENTRIES_PER_FRAGMENT,
  bytes: 1024 * 1024,
  maxBytes: 2 * 1024 * 1024,
  elementBytes: 4 * 1024 * 1024,
};
