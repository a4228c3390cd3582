/** Makes the input of each stage from the two bodies of the upload bench, by the stages before. */
import { constants, inflateRawSync } from 'node:zlib';
import { EntryTranscoder } from '../../src/core/sitemap/entry-transcoder.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../../src/core/sitemap/limits.ts';
import { type CutFile, cutFiles } from '../../src/features/sites/cut-files.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import type { Batch } from '../../src/features/uploads/fragment.ts';
import { UPLOAD_SHAPE } from '../../src/features/uploads/upload-members.ts';
import { readDocument } from '../../src/platform/json/json-document.ts';
import { scaled } from '../scale.ts';
import { plainEntries, richEntries, uploadBody } from '../upload-body.ts';
import { stageSeconds } from './rates.ts';

export interface Workload {
  readonly name: 'plain' | 'rich';
  readonly urls: number;
  /** The body in chunks of the same size as the HTTP server's. */
  readonly chunks: readonly Buffer[];
}

/** Node's HTTP server reads at most this much at once. */
const CHUNK_BYTES = 64 * 1024;

/** Yields one workload at a time, because each is large. */
export function* workloads(scale: number): Generator<Workload, void, undefined> {
  const [plainUrls, richUrls] = [scaled(1_000_000, scale), scaled(300_000, scale)];
  yield { name: 'plain', urls: plainUrls, chunks: chunked(uploadBody(plainEntries(plainUrls))) };
  yield { name: 'rich', urls: richUrls, chunks: chunked(uploadBody(richEntries(richUrls))) };
}

export async function readBatches({ chunks }: Workload): Promise<Batch[]> {
  const batches: Batch[] = [];
  for await (const part of readDocument(streamOf(chunks), UPLOAD_SHAPE)) {
    if (part.kind === 'batch') batches.push(part.batch);
  }
  return batches;
}

export function renderFragments(renderer: BatchRenderer, batch: Batch): readonly Fragment[] {
  const result = renderer.render(batch);
  if (result.kind !== 'fragments') throw new Error(`the batch gave ${result.kind}`);
  return result.fragments;
}

export async function readFragments(workload: Workload): Promise<Fragment[]> {
  const renderer = new BatchRenderer();
  return (await readBatches(workload)).flatMap((batch) => renderFragments(renderer, batch));
}

/** Returns the XML of a fragment. The fragment ends with a sync flush and has no last block. */
export function xmlOf(fragment: Fragment): Buffer {
  return inflateRawSync(fragment.deflated, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** Seconds that the kernel takes to deflate these pieces of XML. */
export async function compression(pieces: readonly Buffer[]): Promise<number> {
  const transcoder = new EntryTranscoder();
  const texts = pieces.map((piece) => piece.toString());
  const secondsWith = (finish: () => unknown) =>
    stageSeconds(() => {
      for (const text of texts) {
        transcoder.append(text);
        finish();
      }
    });
  return (await secondsWith(() => transcoder.take())) - (await secondsWith(() => transcoder.drop()));
}

export async function cutInto(sizeLimit: SizeLimit, fragments: readonly Fragment[]): Promise<CutFile[]> {
  const files: CutFile[] = [];
  for await (const file of cutFiles(streamOf(fragments), () => ENTRIES_PER_FILE[sizeLimit])) files.push(file);
  return files;
}

export function totalBytes(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function chunked(body: Iterable<Buffer>): Buffer[] {
  const chunks: Buffer[] = [];
  for (const slice of body) {
    for (let at = 0; at < slice.length; at += CHUNK_BYTES) chunks.push(slice.subarray(at, at + CHUNK_BYTES));
  }
  return chunks;
}

async function* streamOf<Value>(values: Iterable<Value>): AsyncGenerator<Value, void, undefined> {
  yield* values;
}
