/** Compares the files of two uploads in a folder store: 10 million entries with 10 million in another order, with few or no changes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRIES_PER_FILE } from '../src/core/sitemap/limits.ts';
import type { UploadFile } from '../src/features/changes/comparison-store.ts';
import { cutFiles } from '../src/features/sites/cut-files.ts';
import type { Fragment } from '../src/features/sites/fragment.ts';
import { fileHashesKey, uploadFileKey } from '../src/features/sites/site.ts';
import { BatchRenderer } from '../src/features/uploads/batch-renderer.ts';
import { hashesOf } from '../src/features/uploads/staged-hashes.ts';
import { openFolderStorage } from '../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../src/platform/storage/object-storage.ts';
import { generatedEntry } from '../tools/generated-upload.ts';
import { runApart } from '../tools/run-apart.ts';
import type { ComparedUploads, CompareRun } from './apart/compare-uploads.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';

const URLS = 10_000_000;
const BATCH = 5_000;
const HASH_SEED = 0x0123456789abcdefn;
/** An edit of each run of `every` URLs: if `replaces` is true, a new URL replaces the first one. The next `changed` URLs change. */
interface Edit {
  readonly label: string;
  readonly every: number;
  readonly changed: number;
  readonly replaces: boolean;
  readonly atMost: number;
}
const EDITS: readonly Edit[] = [
  { label: 'nothing changed', every: 10_000, changed: 0, replaces: false, atMost: 1.5 },
  { label: 'one in 10,000 changed', every: 10_000, changed: 1, replaces: false, atMost: 1.5 },
  { label: '1 % changed', every: 1_000, changed: 8, replaces: true, atMost: 10 },
];
/** A prime. Its multiples visit every place once, so no file of one upload equals a file of the other. */
const STRIDE = 7_368_787;

const COMPARE = new URL('./apart/compare-uploads.ts', import.meta.url);

export async function* benchChanges(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(URLS, scale);
  const folder = await mkdtemp(join(tmpdir(), 'waypost-changes-'));
  try {
    const storage = await openFolderStorage(folder);
    const former = await storeUpload(storage, 'former', textsInOrder(urls));
    const list = join(folder, 'uploads.json');
    const run = async (uploads: ComparedUploads) => {
      await writeFile(list, JSON.stringify(uploads));
      return runApart<CompareRun>(COMPARE, [folder, list]);
    };
    const name = `${urls.toLocaleString('en-US')} in another order`;
    for (const [i, edit] of EDITS.entries()) {
      const live = await storeUpload(storage, `live-${i}`, changedTexts(urls, edit));
      const { counts, cpuSeconds, seconds, peakBytes } = await run({ former, live });
      const goal = { atMost: edit.atMost };
      yield { name: `${name}, ${edit.label}`, value: cpuSeconds, unit: 'core-s', goal };
      const changes = counts.added + counts.changed + counts.removed;
      yield { name: '… added, changed and removed URLs', value: changes, unit: 'URLs' };
      yield { name: '… until it ends', value: seconds, unit: 's' };
      yield { name: '… peak memory', value: peakBytes / 1e6, unit: 'MB', goal: { atMost: 350 } };
      const { cpuSeconds: without } = await run({ former, live, withoutHashes: true });
      yield { name: '… without stored hashes', value: without, unit: 'core-s', goal: { atMost: 10 } };
      await rm(join(folder, `uploads/live-${i}`), { recursive: true });
    }
    const same = await run({ former, live: former });
    yield { name: 'the same files again', value: same.cpuSeconds, unit: 'core-s', goal: { atMost: 1 } };
    const first = await run({ former: undefined, live: former });
    yield { name: 'a first upload: only counted by origin', value: first.cpuSeconds, unit: 'core-s' };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function* textsInOrder(urls: number): Generator<string, void, undefined> {
  for (let i = 0; i < urls; i++) yield JSON.stringify(generatedEntry(i));
}

function* changedTexts(urls: number, { every, changed, replaces }: Edit): Generator<string, void, undefined> {
  for (let i = 0, at = 0; i < urls; i++, at = (at + STRIDE) % urls) {
    const place = at % every;
    const entry = generatedEntry(place === 0 && replaces ? urls + at : at);
    yield JSON.stringify(place > 0 && place <= changed ? { ...entry, lastmod: '2001-02-03' } : entry);
  }
}

/** Renders and stores files as an upload does. */
async function storeUpload(
  storage: ObjectStorage,
  uploadId: string,
  texts: Iterable<string>,
): Promise<UploadFile[]> {
  const files: UploadFile[] = [];
  for await (const file of cutFiles(fragmentsOf(texts), () => ENTRIES_PER_FILE.standard)) {
    const { entries, bytes, gzipBytes, etag } = file;
    const n = files.length + 1;
    files.push({ n, entries, bytes, gzipBytes, etag, uploadId, uploadN: n });
    await storage.putNew(uploadFileKey(uploadId, n), file.parts);
    const hashes = hashesOf(file, HASH_SEED);
    if (hashes !== undefined) await storage.putNew(fileHashesKey(uploadId, n), hashes);
  }
  return files;
}

async function* fragmentsOf(texts: Iterable<string>): AsyncGenerator<Fragment, void, undefined> {
  const renderer = new BatchRenderer(true, HASH_SEED);
  let firstIndex = 0;
  for (const batch of batchesOf(texts)) {
    const ends = new Uint32Array(batch.length);
    let end = -1;
    for (const [i, text] of batch.entries()) {
      end += 1 + text.length;
      ends[i] = end;
    }
    const result = renderer.render({ bytes: new Uint8Array(Buffer.from(batch.join(','))), ends, firstIndex });
    if (result.kind !== 'fragments') throw new Error(`the batch gave ${result.kind}`);
    firstIndex += batch.length;
    yield* result.fragments;
  }
}

function* batchesOf(texts: Iterable<string>): Generator<string[], void, undefined> {
  let batch: string[] = [];
  for (const text of texts) {
    batch.push(text);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
