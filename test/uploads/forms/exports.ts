/** Exports of tools: the files that stand beside the checkout, and the XML that a body in a dialect makes. */
import { constants, inflateRawSync } from 'node:zlib';
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import { parseDialect } from '../../../src/features/uploads/forms/dialect.ts';
import {
  type RecordForm,
  readJsonBy,
  readRecords,
} from '../../../src/features/uploads/forms/read-records.ts';
import { UPLOAD_SHAPE } from '../../../src/features/uploads/upload-members.ts';
import { readDocument } from '../../../src/platform/json/json-document.ts';
import { inChunks } from './render-body.ts';

const renderer = new BatchRenderer();

export interface ExportedEntry {
  readonly loc: string;
  readonly lastmod?: string;
  readonly priority?: number;
  readonly images?: readonly { readonly loc: string; readonly title?: string }[];
}
export type DialectParameters = Readonly<Record<string, string | string[]>>;

async function* batchesIn(
  form: RecordForm | 'json',
  body: Buffer,
  query: DialectParameters,
  chunkBytes: number,
) {
  const dialect = parseDialect(form, query);
  const chunks = inChunks(body, chunkBytes);
  if (form !== 'json') return yield* readRecords(form, chunks, dialect);
  for await (const part of readDocument(chunks, { ...UPLOAD_SHAPE, root: { array: 'urls' } })) {
    if (part.kind === 'batch') yield readJsonBy(part.batch, dialect, part.isRoot === true);
  }
}

export async function xmlOf(
  form: RecordForm | 'json',
  body: Buffer,
  query: DialectParameters,
  chunkBytes = 65_536,
): Promise<string> {
  let xml = '';
  for await (const batch of batchesIn(form, body, query, chunkBytes)) {
    const result = renderer.render(batch);
    if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
    for (const { deflated } of result.fragments) {
      xml += inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
    }
  }
  return xml;
}

const P = 'https://shop.example.com/p/';
export const entry = (path: string, lastmod?: string): ExportedEntry => ({
  loc: path.includes(':') ? path : P + path,
  ...(lastmod && { lastmod }),
});
