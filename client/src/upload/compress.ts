/** Compresses a body on its way. Level 1, because a pipeline waits for the sender, not for the wire. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export async function* compress(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  const done = pipeline(Readable.from(body, { objectMode: true }), gzip);
  // The same error comes out of the loop below.
  done.catch(() => {});
  yield* gzip;
  await done;
}
