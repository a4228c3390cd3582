/** Makes the index of some files of an upload, in a thread. The main thread reads the files, and stores the index. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import type { AnswerAsk } from '../../platform/process/asking-thread.ts';
import { free } from '../entries/inflate-file.ts';
import { streamXml, UnreadableFile } from '../entries/stream-xml.ts';
import { type FileHashes, MIN_HASHED_ENTRIES, readFileHashes } from '../sites/file-hashes.ts';
import { IndexBuilder } from './index-builder.ts';
import type { IndexedFile } from './index-store.ts';
import { LocKernel } from './loc-kernel.ts';
import { type IndexedPlace, MAX_PLACES } from './url-index.ts';

export interface IndexTask {
  readonly files: readonly IndexedFile[];
}

/** A request of the thread. `at`: the index of a file in the task. */
export type IndexAsk =
  /** The answer is the object with the hashes of the file's entries; undefined if there is none. */
  | { readonly kind: 'hashes'; readonly at: number }
  /** The answer is the file as it is stored; undefined if there is none. */
  | { readonly kind: 'file'; readonly at: number }
  /** The index without its head. There is no answer. */
  | { readonly kind: 'records'; readonly bytes: Uint8Array<ArrayBuffer> };

export interface IndexEnd {
  /** The numbers of the files that are in the index. */
  readonly indexed: readonly number[];
  readonly head: Uint8Array;
}

/** If no file can be read, `indexed` is empty, and no records were handed over. */
export async function indexFiles({ files }: IndexTask, ask: AnswerAsk<IndexAsk>): Promise<IndexEnd> {
  const hashesOf = async (at: number) => {
    const { entries } = files[at]!;
    const object = entries < MIN_HASHED_ENTRIES ? undefined : await ask({ kind: 'hashes', at });
    return object && readFileHashes(object, entries);
  };
  const seed = await seedOf(files, hashesOf);
  const builder = new IndexBuilder(
    seed,
    files.reduce((sum, { entries }) => sum + entries, 0),
  );
  const kernel = new LocKernel();
  const indexed: number[] = [];
  for (const [at, file] of files.entries()) {
    const mark = builder.mark();
    const roomForPlaces = MAX_PLACES - mark.places - (files.length - at - 1);
    try {
      const hashes = await hashesOf(at);
      if (hashes?.seed === seed && hashes.fragments.length <= roomForPlaces) {
        addHashes(builder, hashes, file.uploadN);
        free(hashes.hashes);
      } else {
        builder.beginPlace({ file: file.uploadN, from: 0, deflatedBytes: 0, bytes: file.bytes });
        await addXml(builder, kernel, seed, file, await ask({ kind: 'file', at }));
      }
      if (builder.mark().count - mark.count !== file.entries) throw new UnreadableFile('other entries');
      indexed.push(file.uploadN);
    } catch (error) {
      // The file stays out of the index. A look-up reads the file, and counts it as not searched if it cannot be read.
      if (!(error instanceof UnreadableFile || error instanceof RangeError)) throw error;
      builder.forgetSince(mark);
    }
  }
  const { head, records } = builder.build();
  if (indexed.length > 0) await ask({ kind: 'records', bytes: records });
  return { indexed, head };
}

/**
 * Returns the seed of the first stored hashes. An index has one seed, so stored hashes with another seed cannot be used. Any file may be
 * too short for hashes. If no file has hashes, any seed will do.
 */
async function seedOf(
  files: readonly IndexedFile[],
  hashesOf: (at: number) => Promise<FileHashes | undefined>,
): Promise<bigint> {
  for (const at of files.keys()) {
    const hashes = await hashesOf(at);
    if (hashes !== undefined) return hashes.seed;
  }
  return randomBytes(8).readBigUInt64LE();
}

function addHashes(
  builder: IndexBuilder,
  { fragments, firstFragmentAt, hashes }: FileHashes,
  file: number,
): void {
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  let at = 0;
  let from = firstFragmentAt;
  for (const { deflatedBytes, bytes, entries } of fragments) {
    const place: IndexedPlace = { file, from, deflatedBytes, bytes };
    builder.beginPlace(place);
    from += deflatedBytes;
    for (const end = at + entries * HASHES_BYTES; at < end; at += HASHES_BYTES) {
      builder.add(view.getUint32(at, true), view.getUint32(at + 4, true));
    }
  }
}

async function addXml(
  builder: IndexBuilder,
  kernel: LocKernel,
  seed: bigint,
  { uploadId, uploadN: n, bytes }: IndexedFile,
  gzip: Uint8Array | undefined,
): Promise<void> {
  kernel.begin();
  const stored = gzip && Readable.from([gzip]);
  for await (const piece of streamXml(stored, { uploadId, n, bytes }, (xml) => xml)) {
    for (const words of kernel.hashes(piece, seed)) {
      for (let i = 0; i < words.length; i += 2) builder.add(words[i]!, words[i + 1]!);
    }
  }
}
