/** Compresses a body while it is sent. Level 1, because the sender's CPU is slower than the network. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export async function* compress(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  const done = pipeline(Readable.from(body, { objectMode: true }), gzip);
  // `yield*` throws the same error.
  done.catch(() => {});
  yield* gzip;
  await done;
}
