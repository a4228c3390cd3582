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
import { DamagedFile, type StoredFile } from '../../entries/entry-kernel.ts';
import { free } from '../../entries/inflate-file.ts';
import { type CutFile, cutFiles } from '../../sites/cut-files.ts';
import type { Fragment } from '../../sites/fragment.ts';
import { hashesOf } from '../staged-hashes.ts';
import { EntryReader } from './entry-reader.ts';
import { type EntryTexts, readTexts } from './entry-texts.ts';
import { type Differences, joinEntries, NEW, sortedOrder } from './join-entries.ts';
import { makeFragments } from './make-fragments.ts';
import type { AskMain, PlaceEnd, PlaceTask, Position } from './messages.ts';
import { type Edit, Queue, REMOVED, rewriteFile } from './rewrite-file.ts';

/** The most entries that are new or changed, as a part of all. With more, hardly a file stays as it is. */
const MAX_WANTED = 0.2;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** If this part of the files is written again anyway, new entries fill up these files. */
const MOST_FILES = 0.9;
/** Entries of further files are cut in portions, so that one file is in memory. */
const PORTION = 50_000;

export async function placeFiles(task: PlaceTask, ask: AskMain): Promise<PlaceEnd> {
  try {
    return await new Placing(task, ask).run();
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
  #placed = 0;

  constructor(task: PlaceTask, ask: AskMain) {
    this.#task = task;
    this.#ask = ask;
    this.#reader = new EntryReader(task, ask);
  }

  async run(): Promise<PlaceEnd> {
    const { seed, live } = this.#task;
    const urls = live.reduce((sum, { entries }) => sum + entries, 0);
    const differences = await joinEntries(this.#reader, seed, { maxWanted: MAX_WANTED * urls });
    const texts = differences && (await readTexts(this.#reader, live, differences.wanted, MAX_TEXT_BYTES));
    if (texts === undefined) return { kind: 'order', reason: 'many-changes' };
    return { kind: 'placed', positions: await this.#write(differences!, texts) };
  }

  async #write(differences: Differences, texts: EntryTexts): Promise<Position[]> {
    const { former, entriesPerFile } = this.#task;
    for (const [i, ordinal] of differences.replaced.entries()) if (ordinal === NEW) this.#queue.push(i);
    const edits = editsByFile(former, differences);
    const isEmpty = former.map(({ entries }, i) => {
      const removed = edits[i]!.reduce((count, { text }) => count + Number(text === REMOVED), 0);
      return removed === entries;
    });
    const last = isEmpty.lastIndexOf(false);
    const fillsAll = edits.filter(({ length }) => length > 0).length >= MOST_FILES * former.length;
    const origin = this.#reader.originOf('live');
    const positions: (Position | undefined)[] = [];
    const further: Position[] = [];
    for (const [i, file] of former.entries()) {
      const hasRoom = edits[i]!.length > 0 || file.entries < entriesPerFile;
      const takesQueued = (i === last || fillsAll) && hasRoom && this.#queue.first !== undefined;
      if (isEmpty[i]) positions.push(undefined);
      else if (edits[i]!.length === 0 && !takesQueued) positions.push({ former: file.n });
      else {
        const stored = await this.#reader.stored('former', file);
        const entries = await this.#reader.read('former', file);
        const task = {
          file,
          edits: edits[i]!,
          queue: this.#queue,
          takesQueued,
          maxEntries: entriesPerFile,
          origin,
        };
        const fragments = rewriteFile(this.#reader, stored, entries, texts, task);
        // Its changed entries may all have gone to other files. One file may become two, if fragments are cut badly.
        const [first, ...others] = await this.#send(fragments);
        free(stored);
        positions.push(first);
        further.push(...others);
      }
    }
    further.push(...(await this.#writeQueue(texts, origin)));
    return compact(positions, further);
  }

  /** Writes the entries that no former file takes. */
  async #writeQueue(texts: EntryTexts, origin: string | undefined): Promise<Position[]> {
    const queue = this.#queue;
    const reader = this.#reader;
    function* fragments(): Generator<Fragment, void, undefined> {
      while (queue.first !== undefined) {
        const portion: Buffer[] = [];
        for (; queue.first !== undefined && portion.length < PORTION; queue.shift())
          portion.push(texts.at(queue.first));
        yield* makeFragments(reader, portion, origin);
      }
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

function editsByFile(former: readonly StoredFile[], { removed, replaced }: Differences): Edit[][] {
  const byFormer = sortedOrder(replaced);
  const edits: Edit[][] = [];
  let [first, nextRemoved, nextChanged] = [0, 0, 0];
  for (const { entries } of former) {
    const ofFile: Edit[] = [];
    const end = first + entries;
    for (;;) {
      const gone = removed[nextRemoved] ?? NEW;
      const text = byFormer[nextChanged];
      const changed = text === undefined ? NEW : replaced[text]!;
      if (Math.min(gone, changed) >= end) break;
      if (gone < changed) {
        ofFile.push({ ordinal: gone - first, text: REMOVED });
        nextRemoved++;
      } else {
        ofFile.push({ ordinal: changed - first, text: text! });
        nextChanged++;
      }
    }
    edits.push(ofFile);
    first = end;
  }
  return edits;
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
