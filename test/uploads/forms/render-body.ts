/** A body in any form, from its chunks to fragments, as an upload reads it, but in this thread. */
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import { type RecordForm, readRecords } from '../../../src/features/uploads/forms/read-records.ts';
import type { Batch, OnInvalid, RenderResult } from '../../../src/features/uploads/fragment.ts';
import { UPLOAD_SHAPE } from '../../../src/features/uploads/upload-members.ts';
import { freeBytes } from '../../../src/platform/free-bytes.ts';
import { readDocument } from '../../../src/platform/json/json-document.ts';
import { collect } from '../../support/collect.ts';

const renderer = new BatchRenderer();

/** Cuts a body into chunks of `size` bytes, and a last one. As in an upload, a chunk is freed when the next one is asked for. */
export async function* inChunks(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of inKeptChunks(body, size)) {
    yield chunk;
    freeBytes(chunk);
  }
}

/** The same for Parquet, whose reader keeps the chunks. */
export async function* inKeptChunks(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield Uint8Array.from(body.subarray(at, at + size));
}

export function batchesOf(form: RecordForm | 'json', body: AsyncIterable<Uint8Array>): AsyncIterable<Batch> {
  return form === 'json' ? batchesOfDocument(body) : readRecords(form, body);
}

export async function renderBody(
  form: RecordForm | 'json',
  body: AsyncIterable<Uint8Array>,
  onInvalid: OnInvalid = 'fail',
): Promise<RenderResult[]> {
  return (await collect(batchesOf(form, body))).map((batch) => renderer.render(batch, onInvalid));
}

/** Returns only the compressed XML of results. Throws for violations. */
export function deflatedOf(results: readonly RenderResult[]): Buffer {
  return Buffer.concat(
    results.flatMap((result) => {
      if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
      return result.fragments.map(({ deflated }) => deflated);
    }),
  );
}

async function* batchesOfDocument(body: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  for await (const part of readDocument(body, UPLOAD_SHAPE)) if (part.kind === 'batch') yield part.batch;
}
