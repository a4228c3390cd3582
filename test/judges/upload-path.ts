/**
 * The path of an upload through all pure code, in process: its bytes are read as a document, cut into batches,
 * rendered, joined into files, and the files gunzipped.
 */
import { gunzipSync } from 'node:zlib';
import type { Violation } from '../../src/core/sitemap/violation.ts';
import { cutFiles } from '../../src/features/sites/cut-files.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import type { RenderResult } from '../../src/features/uploads/fragment.ts';
import { UPLOAD_SHAPE } from '../../src/features/uploads/upload-members.ts';
import { type DocumentShape, readDocument } from '../../src/platform/json/json-document.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { produced } from '../sitemap/produced-documents.ts';

const renderer = new BatchRenderer();

export type Verdict =
  | { kind: 'accepted'; files: string[] }
  | { kind: 'violations'; violations: readonly Violation[]; count: number }
  | { kind: 'malformed' };

/** An upload's shape that allows unknown members. They must not change the result. */
export const WITH_UNKNOWN_MEMBERS: DocumentShape = { ...UPLOAD_SHAPE, refusesUnknown: false };

/** The same, with batches so small that a short document has several. */
export const SMALL_BATCHES: DocumentShape = {
  ...WITH_UNKNOWN_MEMBERS,
  limits: { elements: 4, group: 2, bytes: 1_000, maxBytes: 1_500, elementBytes: 4 * 1024 * 1024 },
};

/** The verdict on a document that arrives in pieces of these sizes, repeated. */
export async function verdictOn(
  body: Uint8Array,
  sizes: readonly number[] = [body.length],
  shape = SMALL_BATCHES,
  entriesPerFile = 50_000,
): Promise<Verdict> {
  const files: string[] = [];
  try {
    for await (const file of cutFiles(fragmentsOf(piecesOf(body, sizes), shape), () => entriesPerFile)) {
      files.push(produced(gunzipSync(Buffer.concat(file.parts)).toString()));
    }
  } catch (error) {
    if (error instanceof Faulty) return error.verdict;
    if (error instanceof Refusal && error.code === 'BAD_REQUEST') return { kind: 'malformed' };
    throw error;
  }
  return { kind: 'accepted', files };
}

class Faulty extends Error {
  readonly verdict: Verdict;

  constructor(result: Exclude<RenderResult, { kind: 'fragments' }>) {
    super(result.kind);
    this.verdict = result.kind === 'malformed' ? { kind: 'malformed' } : result;
  }
}

async function* fragmentsOf(
  chunks: AsyncIterable<Uint8Array>,
  shape: DocumentShape,
): AsyncGenerator<Fragment> {
  for await (const part of readDocument(chunks, shape)) {
    if (part.kind !== 'batch') continue;
    const result = renderer.render(part.batch);
    if (result.kind !== 'fragments') throw new Faulty(result);
    yield* result.fragments;
  }
}

async function* piecesOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1);
    yield bytes.slice(at, at + size);
    at += size;
  }
}
