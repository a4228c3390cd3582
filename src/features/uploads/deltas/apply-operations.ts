/**
 * Applies operations to the files of a generation, in a thread of its own, so that only files with a change are written again:
 *
 * ```
 * URLs → their entries in the files → changes → `found` → changed files → further files
 * ```
 */
import { EntryTranscoder } from '../../../core/sitemap/entry-transcoder.ts';
import { DamagedFile, EntryKernel, type StoredFile } from '../../entries/entry-kernel.ts';
import { inflateFile } from '../../entries/inflate-file.ts';
import { readFileHashes } from '../../sites/file-hashes.ts';
import { EntryReader, ReadMemory } from '../placement/entry-reader.ts';
import { EntryTexts, entriesOfFile } from '../placement/entry-texts.ts';
import { FilesWriter } from '../placement/files-writer.ts';
import type { PlacedFile } from '../placement/messages.ts';
import { planFiles } from '../placement/plan-files.ts';
import { FilePrints, PrintsCache } from './file-prints.ts';
import { findLocs } from './find-locs.ts';
import { foldOperations } from './fold-operations.ts';
import type { AskMain, DeltaEnd, DeltaTask } from './messages.ts';
import { locHashOf, type Operations, xmlOf } from './operations.ts';

/** The cache of one thread: enough for 20 million URLs. With more, each delta reads the hashes of all files. */
const CACHED_PRINTS_BYTES = 48 * 1024 * 1024;

/** All tasks of the thread share this cache. */
const CACHE = new PrintsCache(CACHED_PRINTS_BYTES);

/** Instances of WebAssembly, and memory. To make them costs as much as a small delta. */
class Kernels {
  readonly seed: bigint;
  readonly entries = new EntryKernel(0);
  readonly written: EntryTranscoder;
  readonly digest: DigestDifference;
  readonly memory = new ReadMemory();

  constructor(seed: bigint) {
    this.seed = seed;
    this.written = new EntryTranscoder(seed);
    this.digest = new DigestDifference(seed);
  }
}

/** The kernels of the last task. A task that fails leaves none, because its kernels may hold unfinished work. */
let kernels: Kernels | undefined;

/** `cache` is for tests. */
export async function applyOperations(task: DeltaTask, ask: AskMain, cache = CACHE): Promise<DeltaEnd> {
  const own = kernels?.seed === task.seed ? kernels : new Kernels(task.seed);
  kernels = undefined;
  try {
    const end = await apply(task, ask, cache, own);
    kernels = own;
    return end;
  } catch (error) {
    if (error instanceof DamagedFile) return { kind: 'damaged', message: error.message };
    throw error;
  }
}

async function apply(
  task: DeltaTask,
  ask: AskMain,
  cache: PrintsCache,
  { entries, written: transcoder, digest, memory }: Kernels,
): Promise<DeltaEnd> {
  const { seed, former, entriesPerFile, operations, requestEnds } = task;
  using reader = new EntryReader({ seed, former, live: [] }, ask, entries, memory);
  const locs = new Set(Array.from({ length: operations.count }, (_, i) => locHashOf(operations, i)));
  const occurrences = await findLocs(reader, former, locs, cache);
  const formerEntries = former.reduce((sum, { entries }) => sum + entries, 0);
  const { differences, ...found } = foldOperations(operations, requestEnds, occurrences, formerEntries);
  const goesOn = await ask({ kind: 'found', found });
  const { removed, wanted } = differences;
  if (goesOn === undefined || removed.length + wanted.length === 0) return { kind: 'nothing' };

  const plan = planFiles(former, differences, entriesPerFile);
  digest.begin();
  for (const operation of wanted) digest.add(xmlOf(operations, operation));
  for (const [i, file] of former.entries()) {
    if (!plan.isEmpty[i]) continue;
    using xml = inflateFile(await reader.stored('former', file), file);
    for (const entry of entriesOfFile(xml.bytes, file)) digest.take(entry);
  }
  const knownOf = (file: StoredFile | undefined) => {
    const base = file && former[file.n - 1];
    return base && cache.get(base.uploadId, base.uploadN);
  };
  let { filesBefore } = task;
  const send = async (file: PlacedFile, urlsOf: StoredFile | undefined) => {
    filesBefore++;
    // Read the prints before the file moves to the main thread.
    const prints = file.hashes && (knownOf(urlsOf) ?? printsOf(file.hashes, file.entries));
    await ask({ kind: 'file', file });
    if (prints !== undefined) cache.add(task.uploadId, filesBefore, prints);
  };
  const onLost = (xml: Uint8Array) => digest.take(xml);
  const writer = new FilesWriter({ ...task, reader, send, onLost, transcoder });
  const positions = await writer.write(plan, textsOf(operations, wanted));
  return { kind: 'written', positions, digest: digest.value };
}

function textsOf(operations: Operations, wanted: Uint32Array): EntryTexts {
  const texts = Array.from(wanted, (operation) => xmlOf(operations, operation));
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [i, { length }] of texts.entries()) {
    at += length;
    ends[i] = at;
  }
  return new EntryTexts(Buffer.concat(texts, at), ends);
}

function printsOf(object: Uint8Array, entries: number): FilePrints {
  const { buffer, byteOffset, byteLength } = object;
  return new FilePrints(readFileHashes(Buffer.from(buffer, byteOffset, byteLength), entries)!.hashes);
}

/** The difference of the sums of the hashes of two lists of entries, modulo 2^64. */
class DigestDifference {
  readonly #transcoder: EntryTranscoder;
  #sum = 0n;

  constructor(seed: bigint) {
    this.#transcoder = new EntryTranscoder(seed);
  }

  begin(): void {
    this.#sum = 0n;
    this.#transcoder.load(new Uint8Array(0), new Uint32Array(0));
  }

  get value(): bigint {
    return BigInt.asIntN(64, this.#sum);
  }

  add(xml: Uint8Array): void {
    this.#sum += this.#digestOf(xml);
  }

  /** Takes an entry away. */
  take(xml: Uint8Array): void {
    this.#sum -= this.#digestOf(xml);
  }

  #digestOf(xml: Uint8Array): bigint {
    this.#transcoder.appendRendered(xml);
    return this.#transcoder.takeDigest();
  }
}
