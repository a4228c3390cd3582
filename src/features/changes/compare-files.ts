/**
 * Compares the files of two uploads, in a thread of its own:
 *
 * ```
 * sums of the hashes by buckets  → the buckets that differ
 * for each slice of these:       former files → table · live files → added, changed · former files again → removed
 * ```
 * If the store has the hashes of a file's entries, the thread reads the hashes and not the file. It then reads the file only for the URLs
 * of changed entries. It inflates and hashes a file without stored hashes. It reads the next few files ahead. It sends changes in short
 * lists, and waits until the main thread has taken a list. So memory holds only the table and a few files. The thread also counts the URLs
 * by origin, and packs the changed entries if the task asks for a pack.
 */
import { LineParts } from '../../platform/gzip/line-parts.ts';
import {
  type ChangeKind,
  DamagedFile,
  EntryKernel,
  type FoundChange,
  type FoundEntries,
  type LocatedEntry,
  type Side,
  type Slice,
  type StoredFile,
  TableFull,
  WHOLE,
} from '../entries/entry-kernel.ts';
import { EntryPacker } from '../entries/entry-pack.ts';
import type { FileHashes } from '../sites/file-hashes.ts';
import { CHANGE_KINDS, changeLines } from './comparison.ts';
import { EntryLocator } from './locate-entries.ts';
import { addOrigins } from './origins.ts';
import { planSlices } from './plan-slices.ts';
import {
  type FoundHashes,
  findHashes,
  type ReadFile,
  readComparedFiles,
  readStored,
} from './read-compared-files.ts';
import type { AnswerAsk, CompareEnd, CompareTask, Origins } from './thread-messages.ts';

const LIST_LENGTH = 1000;

export async function compareFiles(task: CompareTask, ask: AnswerAsk): Promise<CompareEnd> {
  try {
    return await new Comparing(task, ask, await findHashes(ask, task)).run();
  } catch (error) {
    if (error instanceof TableFull) return { kind: 'full' };
    if (error instanceof DamagedFile) return { kind: 'damaged', message: error.message };
    throw error;
  }
}

type SideOrigins = Readonly<Record<Side, Origins>>;
type Listed = Side | 'counted';

class Comparing {
  readonly #task: CompareTask;
  readonly #ask: AnswerAsk;
  readonly #hashes: FoundHashes;
  readonly #locator = new EntryLocator();
  readonly #parts: LineParts;
  readonly #packer: EntryPacker | undefined;
  readonly #counts = { added: 0, changed: 0, removed: 0 };
  readonly #lists: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };

  constructor(task: CompareTask, ask: AnswerAsk, hashes: FoundHashes) {
    this.#task = task;
    this.#ask = ask;
    this.#hashes = hashes;
    this.#parts = new LineParts(async (n, bytes) => void (await ask({ kind: 'part', n, bytes })));
    this.#packer = task.packFor === undefined ? undefined : new EntryPacker(task.packFor);
  }

  async run(): Promise<CompareEnd> {
    const { former, live, counted } = this.#task;
    const origins: Record<Listed, Origins> = { former: {}, live: {}, counted: {} };
    if (former.length > 0 || live.length > 0) Object.assign(origins, await this.#compare());
    if (counted.length > 0) origins.counted = await this.#count();
    for (const kind of CHANGE_KINDS) await this.#sendList(kind);
    const parts = await this.#parts.end();
    const pack = this.#packer?.end();
    if (pack !== undefined) await this.#ask({ kind: 'pack', bytes: pack });
    return { kind: 'compared', counts: this.#counts, parts, origins };
  }

  async #compare(): Promise<SideOrigins> {
    const { room, maxSlots } = this.#task;
    // Compare sums only if both sides have stored hashes. A file without hashes has to be inflated once more for its sum.
    const differing = this.#hashes.onBothSides ? await this.#sum() : undefined;
    if (differing?.entries === 0) return differing.origins;
    const { slots, slices } = planSlices(Math.min(differing?.entries ?? room, room), maxSlots);
    const kernel = new EntryKernel(slots);
    if (differing !== undefined) kernel.lookAt(differing.buckets);
    let origins = differing?.origins;
    for (const slice of slices) {
      const found = await this.#compareSlice(kernel, slice, origins === undefined);
      origins ??= found;
    }
    return origins!;
  }

  /** Finds the buckets of hashes in which the sides differ. Entries in other buckets need no table. */
  async #sum(): Promise<{ buckets: Uint8Array; entries: number; origins: SideOrigins }> {
    const kernel = new EntryKernel(0, true);
    kernel.begin(WHOLE, this.#hashes.seed, true);
    const sums = new OriginSums(kernel);
    const sumSide = async (side: Side) => {
      for await (const { text, hashes } of this.#files(side, this.#task[side])) {
        if (hashes === undefined) kernel.sum(text, side);
        else kernel.sumHashes(hashes.hashes, side);
        sums.add(hashes);
      }
      return sums.take();
    };
    const origins = { former: await sumSide('former'), live: await sumSide('live') };
    return { ...kernel.differing(), origins };
  }

  /** Counts the URLs of the unchanged files by origin. */
  async #count(): Promise<Origins> {
    const kernel = new EntryKernel(0);
    kernel.begin(WHOLE, this.#hashes.seed, true);
    const sums = new OriginSums(kernel);
    for await (const { text, hashes } of this.#files('live', this.#task.counted)) {
      if (hashes === undefined) kernel.count(text);
      sums.add(hashes);
    }
    return sums.take();
  }

  /** Compares the entries of all files whose hashes are in the slice. Counts the origins if `countsOrigins` is set. */
  async #compareSlice(kernel: EntryKernel, slice: Slice, countsOrigins: boolean): Promise<SideOrigins> {
    const { former, live } = this.#task;
    kernel.begin(slice, this.#hashes.seed, countsOrigins);
    const sums = new OriginSums(kernel);
    for await (const { text, hashes, place } of this.#files('former', former)) {
      if (hashes === undefined) kernel.insert(text, place);
      else kernel.insertHashes(hashes.hashes, place);
      sums.add(hashes);
    }
    const ofFormer = sums.take();
    for await (const read of this.#files('live', live)) {
      if (read.hashes === undefined) await this.#take(kernel.match(read.text, this.#wantsXml));
      else await this.#takeEntries('live', read, kernel.matchHashes(read.hashes.hashes));
      sums.add(read.hashes);
    }
    const ofLive = sums.take();
    const hasRemoved = kernel.filesWithRemoved();
    const wanted = former.filter((_, i) => hasRemoved[i + 1] === 1);
    for await (const read of this.#files('former', wanted)) {
      if (read.hashes === undefined) await this.#take(kernel.unseen(read.text));
      else await this.#takeEntries('former', read, kernel.unseenHashes(read.hashes.hashes));
    }
    sums.take();
    return { former: ofFormer, live: ofLive };
  }

  /** Takes the changed entries of a file of which only the hashes were read. Reads their URLs from the file. */
  async #takeEntries(
    side: Side,
    { file, hashes }: ReadFile,
    { kinds, ordinals }: FoundEntries,
  ): Promise<void> {
    if (ordinals.length === 0) return;
    const stored = await readStored(this.#ask, side, file);
    const withXml = this.#wantsXml && side === 'live';
    const located = this.#locator.locate(stored, { file, hashes: hashes!, ordinals, withXml });
    for (const [i, entry] of located.entries()) {
      if (this.#add(kinds[i]!, entry)) await this.#sendList(kinds[i]!);
    }
  }

  async #take(changes: Iterable<FoundChange>): Promise<void> {
    for (const change of changes) {
      if (this.#add(change.kind, change)) await this.#sendList(change.kind);
    }
  }

  /** Returns whether the list of the kind is full. */
  #add(kind: ChangeKind, { loc, xml }: LocatedEntry): boolean {
    this.#counts[kind]++;
    if (kind === 'removed') this.#packer?.remove(loc);
    else if (xml !== undefined) this.#packer?.add(loc, xml);
    return this.#lists[kind].push(loc) === LIST_LENGTH;
  }

  async #sendList(change: ChangeKind): Promise<void> {
    const locs = this.#lists[change];
    if (locs.length === 0) return;
    this.#lists[change] = [];
    const untold = Math.max(0, this.#task.mostTold - (this.#counts[change] - locs.length));
    if (untold > 0) await this.#ask({ kind: 'changes', change, locs: locs.slice(0, untold) });
    await this.#parts.add(changeLines(change, locs), locs.length);
  }

  /** Whether the pack has room for more entries. */
  get #wantsXml(): boolean {
    return this.#packer?.isFull === false;
  }

  #files(side: Side, files: readonly StoredFile[]): AsyncIterable<ReadFile> {
    return readComparedFiles(this.#ask, this.#hashes, side, files);
  }
}

/** The number of URLs by origin in the files that are read. Stored hashes name the origin of their file. The kernel counts other files. */
class OriginSums {
  readonly #kernel: EntryKernel;
  #ofHashes = new Map<string, number>();

  constructor(kernel: EntryKernel) {
    this.#kernel = kernel;
  }

  /** Adds the counts of a file whose hashes were read. Does nothing for a file without hashes, which the kernel has counted. */
  add(hashes: FileHashes | undefined): void {
    if (hashes === undefined) return;
    const { origin, entries } = hashes;
    this.#ofHashes.set(origin, (this.#ofHashes.get(origin) ?? 0) + entries);
  }

  /** Returns the sums since the last call. */
  take(): Origins {
    const sums = addOrigins(addOrigins({}, this.#ofHashes), this.#kernel.takeOrigins());
    this.#ofHashes = new Map();
    return sums;
  }
}
