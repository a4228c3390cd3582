/**
 * The host of the WebAssembly that compares entries (change-kernel/compare-entries.ts). One instance serves one
 * comparison: its memory never shrinks.
 */
import { growMemory } from '../platform/grow-memory.ts';
import { unescapeText } from '../sitemap/xml-text.ts';
import type { ChangeKind } from './comparison.ts';
import { type KernelExports, openKernel } from './open-kernel.ts';

/** By the numbers of change-kernel/compare-entries.ts. */
const KINDS: readonly (ChangeKind | undefined)[] = [undefined, 'added', 'changed', 'removed'];
/** change-kernel/layout.ts has the same numbers. */
const EVENT_BYTES = 12;
const SLOT_BYTES = 12;
const FILE_FLAGS = 0x10000;
const FULL = -1;
const MALFORMED = -1;
/** Grows if an entry is longer. */
const FIRST_TEXT_BYTES = 1024 * 1024;

/** Two numbers of 32 bits. */
export type Seed = readonly [number, number];

/** Part of all hashes: those whose upper half is in `from` to `from + length - 1`. */
export interface Slice {
  readonly from: number;
  readonly length: number;
}

/** The file is not one that we wrote, or not whole. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** More URLs were added than there is room for. */
export class TableFull extends Error {
  override readonly name = 'TableFull';
}

/** A URL that changed. `loc` as text, without escapes. */
export interface FoundChange {
  readonly kind: ChangeKind;
  readonly loc: string;
}

/** The XML of a file, in pieces of any length, and how many entries it must have. */
export interface FileText {
  readonly pieces: Iterable<Uint8Array>;
  readonly entries: number;
}

/** All methods that take a file throw DamagedFile. */
export class EntryKernel {
  readonly #exports: KernelExports;
  #memory: Buffer;
  readonly #slots: number;
  readonly #textAt: number;
  #textEnd: number;
  #isFresh = true;

  /** `slots`: of the table. It is full a little before all are taken. 0: only for `count`. */
  constructor(slots: number) {
    this.#exports = openKernel();
    this.#memory = Buffer.from(this.#exports.memory.buffer);
    this.#slots = slots;
    this.#textAt = this.#textEnd = this.#exports.END.value + slots * SLOT_BYTES;
    this.#makeRoom(FIRST_TEXT_BYTES);
  }

  /** Begins a slice, with an empty table. All slices need the same `seed`. */
  begin({ from, length }: Slice, seed: Seed, countsOrigins: boolean): void {
    this.#exports.beginScan(...seed, from, length, countsOrigins);
    if (!this.#isFresh) this.#memory.fill(0, this.#exports.END.value, this.#textAt);
    this.#isFresh = false;
    if (this.#slots > 0) this.#exports.beginTable(this.#exports.END.value, this.#slots);
  }

  /** Puts the entries of former file `n`, from 1, into the table. Throws TableFull. */
  insert(file: FileText, n: number): void {
    for (const records of this.#scan(file)) {
      if (this.#exports.insert(records, n) === 0) throw new TableFull();
    }
  }

  /** Finds the entries of a live file that are new or differ. Throws TableFull. */
  *match(file: FileText): Generator<FoundChange, void, undefined> {
    for (const records of this.#scan(file)) {
      const events = this.#exports.match(records);
      if (events === FULL) throw new TableFull();
      yield* this.#changes(events);
    }
  }

  /** Whether each former file, from 1, has entries that no live file has. Call it when all live files are matched. */
  filesWithRemoved(): Uint8Array {
    this.#exports.markFiles();
    const from = this.#exports.FILES.value;
    return Uint8Array.from(this.#memory.subarray(from, from + FILE_FLAGS));
  }

  /** Finds the entries of a former file that no live file has, unless another former file had them. */
  *unseen(file: FileText): Generator<FoundChange, void, undefined> {
    for (const records of this.#scan(file)) yield* this.#changes(this.#exports.unseen(records));
  }

  /** Only counts the entries by their origins. */
  count(file: FileText): void {
    for (const _records of this.#scan(file)) {
      // The scan has counted.
    }
  }

  /** How many entries of each origin, as it is written, were scanned since the last call. */
  takeOrigins(): Map<string, number> {
    const { ORIGINS, ORIGIN_SLOTS, ORIGIN_BYTES, clearOrigins } = this.#exports;
    const counts = new Map<string, number>();
    for (let i = 0; i < ORIGIN_SLOTS.value; i++) {
      const slot = ORIGINS.value + i * ORIGIN_BYTES.value;
      const urls = this.#memory.readUInt32LE(slot + 8);
      if (urls === 0) continue;
      counts.set(
        this.#text(this.#memory.readUInt32LE(slot + 12), this.#memory.readUInt32LE(slot + 16)),
        urls,
      );
    }
    clearOrigins();
    return counts;
  }

  *#changes(events: number): Generator<FoundChange, void, undefined> {
    const at = this.#exports.RECORDS.value;
    for (let i = 0; i < events; i++) {
      const event = at + i * EVENT_BYTES;
      const loc = this.#text(this.#memory.readUInt32LE(event), this.#memory.readUInt32LE(event + 4));
      yield { kind: KINDS[this.#memory.readUInt32LE(event + 8)]!, loc };
    }
  }

  #text(from: number, length: number): string {
    return unescapeText(this.#memory.toString('utf8', from, from + length));
  }

  /** Yields numbers of records. They are in memory until the next one. */
  *#scan({ pieces, entries }: FileText): Generator<number, void, undefined> {
    this.#exports.beginFile(this.#textAt);
    this.#textEnd = this.#textAt;
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        at += this.#append(piece, at);
        yield* this.#scanText();
      }
    }
    const { position, hasEnded, entries: found } = this.#exports;
    if (hasEnded.value === 0 || position.value !== this.#textEnd) throw new DamagedFile('a file has no end');
    if (found.value !== entries)
      throw new DamagedFile(`a file has ${found.value} entries instead of ${entries}`);
  }

  *#scanText(): Generator<number, void, undefined> {
    let records: number;
    do {
      records = this.#exports.scan(this.#textEnd);
      if (records === MALFORMED) throw new DamagedFile('a file has XML that is not ours');
      if (records > 0) yield records;
    } while (records === this.#exports.MAX_RECORDS.value);
    const position = this.#exports.position.value;
    this.#memory.copyWithin(this.#textAt, position, this.#textEnd);
    this.#textEnd -= position - this.#textAt;
    this.#exports.moveText(this.#textAt);
  }

  /** Returns how many bytes of the piece there was room for. */
  #append(piece: Uint8Array, from: number): number {
    const limit = this.#memory.length - this.#exports.PADDING.value;
    // An entry fills all of the room.
    if (this.#textEnd === limit) this.#makeRoom(2 * (limit - this.#textAt));
    const room = this.#memory.length - this.#exports.PADDING.value - this.#textEnd;
    const part = piece.subarray(from, from + room);
    this.#memory.set(part, this.#textEnd);
    this.#textEnd += part.length;
    return part.length;
  }

  #makeRoom(textBytes: number): void {
    const bytes = this.#textAt + textBytes + this.#exports.PADDING.value;
    this.#memory = growMemory(this.#exports.memory, this.#memory, bytes);
  }
}
