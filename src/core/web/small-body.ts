/** Reads small bodies whole, before they are parsed. */
import type { IncomingMessage } from 'node:http';

const SMALL_BODY_BYTES = 64 * 1024;

/** The announced length of a body that is small and not compressed. Undefined for any other body. */
export function smallBodyBytes({ headers }: IncomingMessage): number | undefined {
  const bytes = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && bytes <= SMALL_BODY_BYTES ? bytes : undefined;
}

/**
 * Waits for the whole body, and keeps it in a buffer of its size, however many chunks it has. If the body fails, first yields the bytes
 * before the failure. If they have a fault, the reader reports that fault in place of the failure.
 */
export async function readSmallBody(
  { headers }: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const body = Buffer.allocUnsafe(Number(headers['content-length']));
  let length = 0;
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      body.set(chunk, length);
      length += chunk.length;
    }
  } catch (cause) {
    failure = { cause };
  }
  return replay(body.subarray(0, length), failure);
}

async function* replay(
  body: Uint8Array,
  failure: { readonly cause: unknown } | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield body;
  if (failure !== undefined) throw failure.cause;
}
