/** Reads XML on the main thread. The body is an existing sitemap. */
import type { Batch } from '../fragment.ts';
import { XmlScan } from './xml-scan.ts';

/** Yields batches of records. At a fault, it yields the whole records before it, and then throws Refusal. */
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
