/**
 * Compares the files of two uploads, in a thread of its own:
 *
 * ```
 * for each slice of the hashes:  former files → table · live files → added, changed · former files again → removed
 * ```
 * The next few files are read ahead. Changes leave in short lists, and the comparison waits until a list is taken. So memory
 * holds the table and a few files.
 */
import { randomBytes } from 'node:crypto';
import { ChangeParts } from './change-parts.ts';
import type { ChangeKind } from './comparison.ts';
import {
  DamagedFile,
  EntryKernel,
  type FileText,
  type FoundChange,
  type Seed,
  type Slice,
  TableFull,
} from './entry-kernel.ts';
import { inflateFile } from './inflate-file.ts';
import { addOrigins } from './origins.ts';
import { planSlices } from './plan-slices.ts';
import type { AnswerAsk, ComparedFile, CompareEnd, CompareTask, Origins, Side } from './thread-messages.ts';

const READ_AHEAD = 3;
const LIST_LENGTH = 1000;

export async function compareFiles(task: CompareTask, ask: AnswerAsk): Promise<CompareEnd> {
  try {
    return await new Comparing(task, ask).run();
  } catch (error) {
    if (error instanceof TableFull) return { kind: 'full' };
    if (error instanceof DamagedFile) return { kind: 'damaged', message: error.message };
    throw error;
  }
}

class Comparing {
  readonly #task: CompareTask;
  readonly #ask: AnswerAsk;
  readonly #seed: Seed;
  readonly #parts: ChangeParts;
  readonly #counts = { added: 0, changed: 0, removed: 0 };
  readonly #lists: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };

  constructor(task: CompareTask, ask: AnswerAsk) {
    this.#task = task;
    this.#ask = ask;
    const random = randomBytes(8);
    this.#seed = [random.readUInt32LE(0), random.readUInt32LE(4)];
    this.#parts = new ChangeParts(async (n, bytes) => void (await ask({ kind: 'part', n, bytes })));
  }

  async run(): Promise<CompareEnd> {
    const { former, live, counted, room, maxSlots } = this.#task;
    const hasBoth = former.length > 0 || live.length > 0;
    const { slots, slices } = hasBoth ? planSlices(room, maxSlots) : { slots: 0, slices: [] };
    const kernel = new EntryKernel(slots);
    const origins: Record<'former' | 'live' | 'counted', Origins> = { former: {}, live: {}, counted: {} };
    for (const [i, slice] of slices.entries()) {
      const found = await this.#compareSlice(kernel, slice, i === 0);
      if (i === 0) Object.assign(origins, found);
    }
    if (counted.length > 0) {
      kernel.begin(WHOLE, this.#seed, true);
      for await (const { text } of this.#files('live', counted)) kernel.count(text);
      origins.counted = addOrigins({}, kernel.takeOrigins());
    }
    const kinds = ['added', 'changed', 'removed'] as const;
    for (const kind of kinds) await this.#sendList(kind);
    const parts = await this.#parts.end();
    return { kind: 'compared', counts: this.#counts, parts, origins };
  }

  /** Compares all files in one slice. Counts the origins if `countsOrigins` is set. */
  async #compareSlice(kernel: EntryKernel, slice: Slice, countsOrigins: boolean) {
    const { former, live } = this.#task;
    kernel.begin(slice, this.#seed, countsOrigins);
    for await (const { text, place } of this.#files('former', former)) kernel.insert(text, place);
    const ofFormer = addOrigins({}, kernel.takeOrigins());
    for await (const { text } of this.#files('live', live)) await this.#take(kernel.match(text));
    const ofLive = addOrigins({}, kernel.takeOrigins());
    const hasRemoved = kernel.filesWithRemoved();
    const wanted = former.filter((_, i) => hasRemoved[i + 1] === 1);
    for await (const { text } of this.#files('former', wanted)) await this.#take(kernel.unseen(text));
    kernel.takeOrigins();
    return { former: ofFormer, live: ofLive };
  }

  async #take(changes: Iterable<FoundChange>): Promise<void> {
    for (const { kind, loc } of changes) {
      this.#counts[kind]++;
      this.#lists[kind].push(loc);
      if (this.#lists[kind].length === LIST_LENGTH) await this.#sendList(kind);
    }
  }

  async #sendList(change: ChangeKind): Promise<void> {
    const locs = this.#lists[change];
    if (locs.length === 0) return;
    this.#lists[change] = [];
    await this.#ask({ kind: 'changes', change, locs });
    await this.#parts.addChanges(change, locs);
  }

  /** Yields the files in order, while the next ones are already being read. `place` counts from 1. */
  async *#files(
    side: Side,
    files: readonly ComparedFile[],
  ): AsyncGenerator<{ text: FileText; place: number }, void, undefined> {
    const underWay: Promise<Uint8Array | undefined>[] = [];
    const readNext = () => {
      const file = files[place + underWay.length];
      if (file === undefined) return;
      const reading = this.#ask({ kind: 'read', side, n: file.n });
      // The error of a read is thrown where the read is awaited.
      reading.catch(() => {});
      underWay.push(reading);
    };
    let place = 0;
    for (let i = 0; i < READ_AHEAD; i++) readNext();
    for (const file of files) {
      const stored = await underWay.shift()!;
      place++;
      readNext();
      if (stored === undefined) throw new DamagedFile(`file ${file.n} of the ${side} upload is missing`);
      using xml = inflateFile(stored, file);
      yield { text: { pieces: [xml.bytes], entries: file.entries }, place };
    }
  }
}

const WHOLE: Slice = { from: 0, length: 2 ** 32 };
