/** The caches count the memory that the process holds, also in the worst case: files of 300 bytes. */
import { expect, test } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fillCaches, KINDS } from './filled-caches.ts';

/** Room for the heap that the server itself needs once it is busy. */
const SLACK_BYTES = 1_000_000;

test.each(KINDS)(
  'as many %s as fit take the memory that is counted for them',
  async (kind) => {
    const { counted, external, heap } = await fillCaches(kind);
    expect(counted).toBeGreaterThan(3_000_000);
    expect(external / counted).toBeLessThanOrEqual(1.15);
    expect(external + heap).toBeLessThanOrEqual(1.15 * counted + SLACK_BYTES);
    // Nor does the count waste what the setting allows.
    expect(external + heap).toBeGreaterThanOrEqual(0.6 * counted);
  },
  SOON.timeout,
);
