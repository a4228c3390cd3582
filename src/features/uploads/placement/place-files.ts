/**
 * Places the entries of a new upload in the files of the live generation, in a thread of its own, so that only files with a change
 * are written again:
 *
 * ```
 * hashes of both sides → differences → the texts of new and changed entries → files with a change, again → further files
 * ```
 * New entries go to the last file, then to further files. What is held in memory: the differences, the texts of what is new or
 * changed, and one file.
 */
import { DamagedFile } from '../../entries/entry-kernel.ts';
import { free } from '../../entries/inflate-file.ts';
import { type CutFile, cutFiles } from '../../sites/cut-files.ts';
import type { Fragment } from '../../sites/fragment.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';
import { hashesOf } from '../staged-hashes.ts';
import { EntryReader } from './entry-reader.ts';
import { type EntryTexts, readTexts } from './entry-texts.ts';
import { joinEntries } from './join-entries.ts';
import { FragmentMaker } from './make-fragments.ts';
import type { AskMain, PlaceEnd, PlaceTask, Position } from './messages.ts';
import { type FilePlan, planFiles } from './plan-files.ts';
import { Queue, rewriteFile } from './rewrite-file.ts';

/** The most entries that are new or changed, as a part of all. With more, hardly a file stays as it is. */
const MAX_WANTED = 0.2;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** If this part of the files changes anyway, no crawler gains by the others, and writing in order costs less. */
const MOST_FILES = 0.9;

const MANY_CHANGES: PlaceEnd = { kind: 'order', reason: 'many-changes' };

/** `mostFiles` is for tests. */
export async function placeFiles(
  task: PlaceTask,
  ask: AskMain,
  mostFiles: number = MOST_FILES,
): Promise<PlaceEnd> {
  try {
    return await new Placing(task, ask).run(mostFiles);
  } catch (error) {
    if (error instanceof DamagedFile) return { kind: 'order', reason: 'unreadable' };
    throw error;
  }
}

class Placing {
  readonly #task: PlaceTask;
  readonly #ask: AskMain;
  readonly #reader: EntryReader;
  readonly #queue = new Queue();
  readonly #maker: FragmentMaker;
  #placed = 0;

  constructor(task: PlaceTask, ask: AskMain) {
    this.#task = task;
    this.#ask = ask;
    this.#reader = new EntryReader(task, ask);
    this.#maker = new FragmentMaker(task.seed);
  }

  async run(mostFiles: number): Promise<PlaceEnd> {
    const { seed, former, live, entriesPerFile } = this.#task;
    const urls = live.reduce((sum, { entries }) => sum + entries, 0);
    const differences = await joinEntries(this.#reader, seed, { maxWanted: MAX_WANTED * urls });
    if (differences === undefined) return MANY_CHANGES;
    const plan = planFiles(former, differences, entriesPerFile);
    if (plan.changedFiles >= mostFiles * former.length) return MANY_CHANGES;
    const texts = await readTexts(this.#reader, live, differences.wanted, MAX_TEXT_BYTES);
    if (texts === undefined) return MANY_CHANGES;
    return { kind: 'placed', positions: await this.#write(plan, texts) };
  }

  async #write({ edits, isEmpty, last, added }: FilePlan, texts: EntryTexts): Promise<Position[]> {
    const { former, entriesPerFile } = this.#task;
    for (const text of added) this.#queue.push(text);
    const tools = { reader: this.#reader, maker: this.#maker, texts };
    const positions: (Position | undefined)[] = [];
    const further: Position[] = [];
    for (const [i, file] of former.entries()) {
      const hasRoom = edits[i]!.length > 0 || file.entries < entriesPerFile;
      const takesQueued = i === last && hasRoom && this.#queue.first !== undefined;
      if (isEmpty[i]) positions.push(undefined);
      else if (edits[i]!.length === 0 && !takesQueued) positions.push({ former: file.n });
      else {
        const stored = await this.#reader.stored('former', file);
        const entries = await this.#reader.read('former', file);
        const fragments = rewriteFile(tools, stored, entries, {
          ...{ file, edits: edits[i]!, takesQueued },
          queue: this.#queue,
          maxEntries: entriesPerFile,
        });
        // Its changed entries may all have gone to other files. One file may become two, if fragments are cut badly.
        const [first, ...others] = await this.#send(fragments);
        free(stored);
        this.#reader.release(entries);
        positions.push(first);
        further.push(...others);
      }
    }
    further.push(...(await this.#writeQueue(texts)));
    return compact(positions, further);
  }

  /** Writes the entries that no former file takes. */
  async #writeQueue(texts: EntryTexts): Promise<Position[]> {
    const queue = this.#queue;
    const maker = this.#maker;
    function* fragments(): Generator<Fragment, void, undefined> {
      for (; queue.first !== undefined; queue.shift()) {
        maker.addOne(texts.at(queue.first));
        if (maker.room === ENTRIES_PER_FRAGMENT) yield* maker.take();
      }
      yield* maker.take();
    }
    return this.#send(fragments());
  }

  async #send(fragments: Iterable<Fragment>): Promise<Position[]> {
    const sent: Position[] = [];
    for await (const file of cutFiles(inTurn(fragments), () => this.#task.entriesPerFile)) {
      await this.#ask({ kind: 'file', file: this.#pack(file) });
      sent.push({ placed: ++this.#placed });
    }
    return sent;
  }

  #pack(file: CutFile) {
    const { entries, bytes, etag } = file;
    const hashes = hashesOf(file, this.#task.seed);
    return { entries, bytes, etag, content: joined(file.parts), hashes: hashes && joined(hashes) };
  }
}

/** Numbers the files without gaps. A gap gets a further file, or else the last one. */
function compact(positions: readonly (Position | undefined)[], further: readonly Position[]): Position[] {
  const files = [...positions];
  const more = [...further];
  for (let i = 0; i < files.length; i++) {
    if (files[i] !== undefined) continue;
    while (files.length > i && files.at(-1) === undefined) files.pop();
    if (i >= files.length && more.length === 0) break;
    files[i] = more.shift() ?? files.pop();
  }
  return [...(files as Position[]), ...more];
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function* inTurn<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items;
}
