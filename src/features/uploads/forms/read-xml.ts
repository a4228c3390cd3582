/** Reads XML on the main thread. The body is an existing sitemap. */
import type { Batch } from '../fragment.ts';
import { XmlScan } from './xml-scan.ts';

/** Yields batches of records. If the body has a fault, this yields the whole records before the fault, and then throws Refusal. */
export async function* readXml(text: AsyncIterable<Uint8Array>): AsyncGenerator<Batch, void, undefined> {
  const scan = new XmlScan();
  try {
    for await (const chunk of text) yield* scan.advance(chunk);
  } catch (error) {
    yield* scan.flush();
    throw error;
  }
  yield* scan.finish();
}
