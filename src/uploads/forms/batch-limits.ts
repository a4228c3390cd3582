/** How large batches are, in every form. */
import type { BatchLimits } from '../../platform/batch-kernel.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';

/**
 * A batch has at most 5,000 entries and about 1 MiB, because every task costs a thread about 100 µs, however small it
 * is. An entry has at most 4 MiB.
 */
export const BATCH_LIMITS: BatchLimits = {
  elements: 5 * ENTRIES_PER_FRAGMENT,
  bytes: 1024 * 1024,
  elementBytes: 4 * 1024 * 1024,
};
