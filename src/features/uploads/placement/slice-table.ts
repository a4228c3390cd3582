/** The former entries in a slice of the hash space, until entries of the new upload take them. */
import { RECORD_WORDS } from '../../entries/entry-kernel.ts';
import { U32List } from './u32-list.ts';

/** The error for uploads that have one `loc` so often that the search takes too long. */
export class TooManyEqual extends Error {
  override readonly name = 'TooManyEqual';
}

/** The most steps along chains for each entry, on average. Without equal `loc`s the average is two. */
const MAX_STEPS = 64;
const NONE = 0xffffffff;

export class SliceTable {
  readonly #low = new U32List();
  readonly #high = new U32List();
  readonly #rest = new U32List();
  readonly #ordinals = new U32List();
  #heads = new Uint32Array(0);
  #next = new Uint32Array(0);
  #shift = 0;
  #steps = 0;

  /** Adds records (`EntryKernel.recordsOf`) of a file with `first` entries before it. */
  add(records: Uint32Array, first: number): void {
    for (let at = 0; at < records.length; at += RECORD_WORDS) {
      this.#low.push(records[at]!);
      this.#high.push(records[at + 1]!);
      this.#rest.push(records[at + 2]!);
      this.#ordinals.push(first + records[at + 3]!);
    }
  }

  /** Call this once, between the last `add` and the first `take`. */
  close(): void {
    const bits = Math.max(4, 32 - Math.clz32(this.#low.length));
    this.#shift = 32 - bits;
    this.#heads = new Uint32Array(2 ** bits).fill(NONE);
    this.#next = new Uint32Array(this.#low.length);
    const [low, high] = [this.#low.view(), this.#high.view()];
    // Go from the last entry to the first, so that each chain begins with its first entry.
    for (let i = low.length - 1; i >= 0; i--) {
      const head = this.#headOf(low[i]!, high[i]!);
      this.#next[i] = this.#heads[head]!;
      this.#heads[head] = i;
    }
  }

  /**
   * Takes the first entry with these hashes, or, without `rest`, with this `loc`. Returns its ordinal among all former entries, or -1.
   * Throws TooManyEqual.
   */
  take(low: number, high: number, rest: number | undefined): number {
    const [lows, highs, rests] = [this.#low.view(), this.#high.view(), this.#rest.view()];
    const head = this.#headOf(low, high);
    let before = NONE;
    for (let i = this.#heads[head]!; i !== NONE; before = i, i = this.#next[i]!) {
      if (++this.#steps > MAX_STEPS * (lows.length + 1024)) throw new TooManyEqual();
      if (lows[i] !== low || highs[i] !== high || (rest !== undefined && rests[i] !== rest)) continue;
      if (before === NONE) this.#heads[head] = this.#next[i]!;
      else this.#next[before] = this.#next[i]!;
      return this.#ordinals.view()[i]!;
    }
    return -1;
  }

  /** Yields the ordinals of the entries that were not taken. */
  *left(): Generator<number, void, undefined> {
    const ordinals = this.#ordinals.view();
    for (const head of this.#heads) {
      for (let i = head; i !== NONE; i = this.#next[i]!) yield ordinals[i]!;
    }
  }

  /** Frees the memory. Call it when nothing is taken any more. */
  free(): void {
    for (const list of [this.#low, this.#high, this.#rest, this.#ordinals]) list.free();
    for (const { buffer } of [this.#heads, this.#next]) buffer.transfer(0);
  }

  #headOf(low: number, high: number): number {
    return Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> this.#shift;
  }
}
