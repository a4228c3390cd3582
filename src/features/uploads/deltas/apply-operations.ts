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
import { entriesOfFile } from '../placement/entry-texts.ts';
import { FilesWriter } from '../placement/files-writer.ts';
import type { PlacedFile } from '../placement/messages.ts';
import { planFiles } from '../placement/plan-files.ts';
import { FilePrints, PrintsCache } from './file-prints.ts';
import { findLocs } from './find-locs.ts';
import { foldOperations } from './fold-operations.ts';
import type { AskMain, DeltaEnd, DeltaTask } from './messages.ts';
import { locHashOf, xmlOf } from './operations.ts';

/** The limit of the cache of a thread: the prints of 20 million URLs. For a larger sitemap, each delta reads the hashes of all files. */
const CACHED_PRINTS_BYTES = 48 * 1024 * 1024;

/** The cache of all tasks of the thread. */
const CACHE = new PrintsCache(CACHED_PRINTS_BYTES);

/** Makes instances of WebAssembly, and memory. Making them costs as much as a small delta. */
const makeKernels = (seed: bigint) => ({
  seed,
  entries: new EntryKernel(0),
  written: new EntryTranscoder(seed),
  digested: new EntryTranscoder(seed),
  memory: new ReadMemory(),
});
type Kernels = ReturnType<typeof makeKernels>;

/** The kernels of the last task. A task that fails leaves none, because its kernels may hold unfinished work. */
let kernels: Kernels | undefined;

/** `cache` is for tests. */
export async function applyOperations(task: DeltaTask, ask: AskMain, cache = CACHE): Promise<DeltaEnd> {
  const own = kernels?.seed === task.seed ? kernels : makeKernels(task.seed);
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
  { entries, written: transcoder, digested, memory }: Kernels,
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
  digested.load(new Uint8Array(0), new Uint32Array(0));
  const digestOf = (xml: Uint8Array) => {
    digested.appendRendered(xml);
    return digested.takeDigest();
  };
  /** The sum of the hashes of the wanted entries, minus the sum of the hashes of the lost ones. */
  let digest = 0n;
  for (const operation of wanted) digest += digestOf(xmlOf(operations, operation));
  const onLost = (xml: Uint8Array) => {
    digest -= digestOf(xml);
  };
  for (const [i, file] of former.entries()) {
    if (!plan.isEmpty[i]) continue;
    using xml = inflateFile(await reader.stored('former', file), file);
    for (const entry of entriesOfFile(xml.bytes, file)) onLost(entry);
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
  const writer = new FilesWriter({ ...task, reader, send, onLost, transcoder });
  const positions = await writer.write(plan, { at: (i) => xmlOf(operations, wanted[i]!) });
  return { kind: 'written', positions, digest: BigInt.asIntN(64, digest) };
}

function printsOf(object: Uint8Array, entries: number): FilePrints {
  return new FilePrints(readFileHashes(object, entries)!.hashes);
}
