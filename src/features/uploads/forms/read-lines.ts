/** Cuts text with one record per line into batches. `entries-of.ts` reads the records. */
import { LineScan, type LineScanOptions } from '../../../platform/lines/line-scan.ts';
import type { Batch } from '../fragment.ts';
import { BATCH_LIMITS } from './batch-limits.ts';
import type { UploadForm } from './form.ts';

/**
 * Cuts the lines of a text into batches. `text` is in UTF-8. Before an error of `text`, yields the whole records before the fault. Throws
 * Refusal for a record that is too long.
 */
export async function* readLines(
  text: AsyncIterable<Uint8Array>,
  { form, preamble, ...options }: LineScanOptions & Pick<Batch, 'preamble'> & { readonly form: UploadForm },
): AsyncGenerator<Batch, void, undefined> {
  const inForm = { form, ...(preamble !== undefined && { preamble }) };
  const scan = new LineScan(BATCH_LIMITS, options);
  try {
    try {
      for await (const chunk of text) {
        for (const batch of scan.advance(chunk)) yield { ...batch, ...inForm };
      }
    } catch (error) {
      for (const batch of scan.flush()) yield { ...batch, ...inForm };
      throw error;
    }
    for (const batch of scan.finish()) yield { ...batch, ...inForm };
  } finally {
    scan.close();
  }
}
