/** Batches as threads get them: the scan of a document cuts its elements, whether they are JSON or not. */
import { type ElementBatch, ElementScan } from '../../../src/platform/json/element-scan.ts';
import { Refusal } from '../../../src/platform/refusal.ts';

interface ScannedBatch {
  readonly texts: readonly string[];
  readonly firstIndex: number;
}

/** The batches of an array with these elements in it, up to the first fault that the scan finds by itself. */
export function scannedBatches(elements: string, entriesPerBatch: number): ScannedBatch[] {
  const batches: ElementBatch[] = [];
  const limits = {
    elements: entriesPerBatch,
    group: 1,
    bytes: 100_000,
    maxBytes: 100_000,
    elementBytes: 4 * 1024 * 1024,
  };
  const scan = new ElementScan('urls', limits, (batch) => batches.push(batch));
  try {
    scan.advance(Buffer.from(`${elements}]`), 0);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  scan.flush();
  return batches.map(({ bytes, ends, firstIndex }) => ({ texts: textsOf(bytes, ends), firstIndex }));
}

function textsOf(bytes: Uint8Array, ends: Uint32Array): string[] {
  const json = Buffer.from(bytes);
  return Array.from(ends, (end, i) => json.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, end));
}
