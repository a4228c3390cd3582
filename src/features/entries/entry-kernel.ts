/**
 * The host of the WebAssembly that compares entries (kernels/changes/compare-entries.ts). An instance with a hash table serves one
 * comparison, because its memory never shrinks.
 */
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import { unescapeText } from '../../core/sitemap/xml-text.ts';
import { growMemory } from '../../platform/grow-memory.ts';
import {
  ADDED,
  BUCKETS,
  CHANGED,
  EVENT_BYTES,
  FILE_FLAGS,
  FULL,
  MALFORMED,
  MAX_RECORDS,
  ORIGIN_BYTES,
  ORIGIN_SLOTS,
  PADDING,
  RECORD_BYTES,
  REMOVED,
  SLOT_BYTES,
  SUM_BYTES,
} from './kernel-layout.ts';
import { type KernelExports, openKernel } from './open-kernel.ts';

/** `removed`: the live upload has no such `loc`. */
export type ChangeKind = 'added' | 'changed' | 'removed';

/** The two uploads whose entries are compared. */
export type Side = 'former' | 'live';

/** The length of a record in `recordsOf`. */
export const RECORD_WORDS = RECORD_BYTES / 4;

const KINDS: Readonly<Record<number, ChangeKind>> = {
  [ADDED]: 'added',
  [CHANGED]: 'changed',
  [REMOVED]: 'removed',
};
const ENTRY_START = '<url><loc>';
/** The end of an entry. Escaped text has no `<`, so the first match is the end. */
const ENTRY_END = '</url>\n';
const ALL_BUCKETS = new Uint8Array(BUCKETS / 8).fill(0xff);
/** The first size of the text buffer. The buffer grows for a longer entry. */
const FIRST_TEXT_BYTES = 1024 * 1024;

/** A part of the hash space: the hashes whose upper 32 bits are in `from` to `from + length - 1`. */
export interface Slice {
  readonly from: number;
  readonly length: number;
}

export const WHOLE: Slice = { from: 0, length: 2 ** 32 };

/** The error for a stored file that Waypost did not write, or that is not whole. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** The error for a hash table that has no room for another URL. */
export class TableFull extends Error {
  override readonly name = 'TableFull';
}

/** An entry whose text was read. */
export interface LocatedEntry {
  /** The URL as text, without XML escapes. */
  readonly loc: string;
  /** The XML from `<url>` to the line feed after `</url>`. Absent if it was not asked for. */
  readonly xml?: Buffer;
}

/** A changed URL. A removed URL has no XML. */
export interface FoundChange extends LocatedEntry {
  readonly kind: ChangeKind;
}

/**
 * The changed entries of a file, in order. `ordinals`: the number of entries before each one. A whole list may have changed, so an entry is
 * no object of its own.
 */
export interface FoundEntries {
  readonly kinds: ChangeKind[];
  readonly ordinals: number[];
}

export interface StoredFile {
  readonly n: number;
  readonly entries: number;
  /** Length of the XML. */
  readonly bytes: number;
}

/** The XML of a file, in pieces of any length, and how many entries it must have. */
export interface FileText {
  readonly pieces: Iterable<Uint8Array>;
  readonly entries: number;
}

/** Entries by their place. */
export interface WantedEntries {
  /** The numbers of the entries in the file, ascending. */
  readonly ordinals: readonly number[];
  readonly hashes: Uint8Array;
  readonly withXml: boolean;
}

export interface EntriesOfPart {
  readonly hashes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array;
}

/** Compares the entries of sitemap files in WebAssembly. All methods that take a file throw DamagedFile. */
export class EntryKernel {
  readonly #exports: KernelExports;
  #memory: Buffer;
  readonly #slots: number;
  readonly #tableAt: number;
  readonly #textAt: number;
  #textEnd: number;
  /** The number of bytes of the part that came before the byte at `#textAt`. */
  #textFrom = 0;
  #isFresh = true;

  /**
   * `slots`: the size of the hash table. The table is full with a little fewer URLs. 0 is enough if no entries are inserted or matched.
   * `hasSums`: makes room for `sum`.
   */
  constructor(slots: number, hasSums = false) {
    this.#exports = openKernel();
    this.#memory = Buffer.from(this.#exports.memory.buffer);
    this.#slots = slots;
    this.#tableAt = this.#exports.END.value + (hasSums ? SUM_BYTES * BUCKETS : 0);
    this.#textAt = this.#textEnd = this.#tableAt + slots * SLOT_BYTES;
    this.#makeRoom(FIRST_TEXT_BYTES);
    if (hasSums) this.#exports.beginSums(this.#exports.END.value);
    this.lookAt(ALL_BUCKETS);
  }

  /** From now on, compares only the entries in these buckets; the others are only counted. `buckets` has a bit for each bucket. */
  lookAt(buckets: Uint8Array): void {
    this.#memory.set(buckets, this.#exports.DIFFERING.value);
  }

  /** Begins a slice, with an empty hash table. All slices of a comparison need the same `seed`. */
  begin({ from, length }: Slice, seed: bigint, countsOrigins: boolean): void {
    this.#exports.beginScan(seed, from, length, countsOrigins);
    if (!this.#isFresh) this.#memory.fill(0, this.#tableAt, this.#textAt);
    this.#isFresh = false;
    if (this.#slots > 0) this.#exports.beginTable(this.#tableAt, this.#slots);
  }

  /** Adds the entries of a file to the sums of its side. */
  sum(file: FileText, side: Side): void {
    for (const records of this.#scan(file)) this.#exports.sum(records, side === 'live');
  }

  /** Does the same as `sum`, from stored hashes of entries. */
  sumHashes(hashes: Uint8Array, side: Side): void {
    for (const records of this.#unpack(hashes)) this.#exports.sum(records, side === 'live');
  }

  /** Returns the buckets in which the sides differ, for `lookAt`, and the number of entries that these buckets have on both sides. */
  differing(): { buckets: Uint8Array; entries: number } {
    const entries = this.#exports.markDiffering();
    const from = this.#exports.DIFFERING.value;
    return { buckets: Uint8Array.from(this.#memory.subarray(from, from + BUCKETS / 8)), entries };
  }

  /** Puts the entries of a former file into the hash table. `n` is the number of the file; the first is 1. Throws TableFull. */
  insert(file: FileText, n: number): void {
    this.#insert(this.#scan(file), n);
  }

  /** Does the same as `insert`, from stored hashes of entries. */
  insertHashes(hashes: Uint8Array, n: number): void {
    this.#insert(this.#unpack(hashes), n);
  }

  #insert(batches: Iterable<number>, n: number): void {
    for (const records of batches) {
      if (this.#exports.insert(records, n) === 0) throw new TableFull();
    }
  }

  /** Finds the entries of a live file that are new or differ. Throws TableFull. */
  *match(file: FileText, withXml = false): Generator<FoundChange, void, undefined> {
    for (const records of this.#scan(file)) yield* this.#changes(this.#matchRecords(records), withXml);
  }

  /** Does the same as `match`, from stored hashes of entries. */
  matchHashes(hashes: Uint8Array): FoundEntries {
    return this.#entries(hashes, (records) => this.#matchRecords(records));
  }

  #matchRecords(records: number): number {
    const events = this.#exports.match(records);
    if (events === FULL) throw new TableFull();
    return events;
  }

  /** Returns a flag for each former file: whether it has entries that no live file has. Call it after the last `match`. */
  filesWithRemoved(): Uint8Array {
    this.#exports.markFiles();
    const from = this.#exports.FILES.value;
    return Uint8Array.from(this.#memory.subarray(from, from + FILE_FLAGS));
  }

  /** Yields the entries that no live file has. If several former files have such an entry, only the file that inserted it yields it. */
  *unseen(file: FileText): Generator<FoundChange, void, undefined> {
    for (const records of this.#scan(file)) yield* this.#changes(this.#exports.unseen(records), false);
  }

  /** Does the same as `unseen`, from stored hashes of entries. */
  unseenHashes(hashes: Uint8Array): FoundEntries {
    return this.#entries(hashes, (records) => this.#exports.unseen(records));
  }

  /**
   * Returns some entries of a file. The slice must be WHOLE. Throws DamagedFile if an entry does not have the hash of its ordinal in
   * `hashes`.
   */
  locate(file: FileText, wanted: WantedEntries): LocatedEntry[] {
    return this.#locate(this.#scan(file), wanted);
  }

  /** Returns entries as `locate` does, from a part of a file. A part has no header. Ordinals and hashes count from its beginning. */
  locateInPart(xml: Uint8Array, wanted: WantedEntries): LocatedEntry[] {
    return this.#locate(this.#scanPart(xml), wanted);
  }

  /** Returns the hashes of a file's entries as they are stored. The slice must be WHOLE, and all buckets looked at. */
  hashesOf(file: FileText): Uint8Array<ArrayBuffer> {
    return this.#pack(this.#scan(file), file.entries);
  }

  /**
   * Returns the hashes of the entries of a part of a file, and the places in `xml` where entries begin. A part has no header. The last of
   * `starts` is the end.
   */
  entriesOfPart(xml: Uint8Array, entries: number): EntriesOfPart {
    const starts = new Uint32Array(entries + 1);
    const hashes = this.#pack(this.#scanPart(xml), entries, starts);
    if (this.#textEnd !== this.#textAt) throw new DamagedFile('a part of a file has no end');
    starts[entries] = xml.length;
    return { hashes, starts };
  }

  #pack(batches: Iterable<number>, entries: number, starts?: Uint32Array): Uint8Array<ArrayBuffer> {
    const words = HASHES_BYTES / 4;
    const hashes = new Uint32Array(entries * words);
    let at = 0;
    for (const records of batches) {
      if (at + records * words > hashes.length)
        throw new DamagedFile('a part of a file has more entries than it should');
      const found = this.#records(records);
      // A record has the address of the `loc` after the hashes.
      const first = this.#textAt + ENTRY_START.length - this.#textFrom;
      for (let i = 0; i < found.length; i += RECORD_WORDS) {
        if (starts !== undefined) starts[at / words] = found[i + words]! - first;
        for (let word = 0; word < words; word++) hashes[at++] = found[i + word]!;
      }
    }
    if (at < hashes.length) throw new DamagedFile('a part of a file has fewer entries than it should');
    return new Uint8Array(hashes.buffer);
  }

  #records(count: number): Uint32Array {
    const { memory, RECORDS } = this.#exports;
    return new Uint32Array(memory.buffer, RECORDS.value, count * RECORD_WORDS);
  }

  /**
   * Yields stored hashes of the entries in the compared buckets, RECORD_WORDS words for each entry: the hash of `loc`, low word first, the
   * hash of the rest, and the ordinal. The next step overwrites the words.
   */
  *recordsOf(hashes: Uint8Array): Generator<Uint32Array, void, undefined> {
    for (const records of this.#unpack(hashes)) yield this.#records(records);
  }

  /** Counts the entries of a file by origin, without a comparison. */
  count(file: FileText): void {
    for (const _records of this.#scan(file)) {
      // The scan itself counts the origins.
    }
  }

  /** Returns the number of entries scanned since the last call, by origin as it is spelled in the file. */
  takeOrigins(): Map<string, number> {
    const { ORIGINS, clearOrigins } = this.#exports;
    const counts = new Map<string, number>();
    for (let i = 0; i < ORIGIN_SLOTS; i++) {
      const slot = ORIGINS.value + i * ORIGIN_BYTES;
      const urls = this.#memory.readUInt32LE(slot + 8);
      if (urls === 0) continue;
      counts.set(this.#textOf(slot + 12), urls);
    }
    clearOrigins();
    return counts;
  }

  *#changes(events: number, withXml: boolean): Generator<FoundChange, void, undefined> {
    const at = this.#exports.RECORDS.value;
    for (let i = 0; i < events; i++) {
      const event = at + i * EVENT_BYTES;
      yield { kind: KINDS[this.#memory.readUInt32LE(event + 8)]!, ...this.#entryAt(event, withXml) };
    }
  }

  /** Reads a text, without XML escapes. The address and the length of the text are at `place`. */
  #textOf(place: number): string {
    const from = this.#memory.readUInt32LE(place);
    return unescapeText(this.#memory.toString('utf8', from, from + this.#memory.readUInt32LE(place + 4)));
  }

  /** Reads an entry. The address and the length of its `loc` are at `place`. */
  #entryAt(place: number, withXml: boolean): LocatedEntry {
    const loc = this.#textOf(place);
    if (!withXml) return { loc };
    const from = this.#memory.readUInt32LE(place);
    const end = this.#memory.indexOf(ENTRY_END, from) + ENTRY_END.length;
    return { loc, xml: Buffer.from(this.#memory.subarray(from - ENTRY_START.length, end)) };
  }

  /** `eventsOf`: compares records, and returns the number of events. */
  #entries(hashes: Uint8Array, eventsOf: (records: number) => number): FoundEntries {
    const found: FoundEntries = { kinds: [], ordinals: [] };
    for (const records of this.#unpack(hashes)) {
      const end = this.#exports.RECORDS.value + eventsOf(records) * EVENT_BYTES;
      for (let event = this.#exports.RECORDS.value; event < end; event += EVENT_BYTES) {
        found.ordinals.push(this.#memory.readUInt32LE(event));
        found.kinds.push(KINDS[this.#memory.readUInt32LE(event + 8)]!);
      }
    }
    return found;
  }

  #locate(batches: Iterable<number>, { ordinals, hashes: stored, withXml }: WantedEntries): LocatedEntry[] {
    const hashes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
    const found: LocatedEntry[] = [];
    let first = 0;
    for (const records of batches) {
      for (
        let i = ordinals[found.length];
        i !== undefined && i < first + records;
        i = ordinals[found.length]
      ) {
        const record = this.#exports.RECORDS.value + (i - first) * RECORD_BYTES;
        if (this.#memory.readBigUInt64LE(record) !== hashes.getBigUint64(i * HASHES_BYTES, true)) {
          throw new DamagedFile('a file does not have its hashes');
        }
        found.push(this.#entryAt(record + 12, withXml));
      }
      first += records;
    }
    if (found.length !== ordinals.length) throw new DamagedFile('a file has fewer entries than its hashes');
    return found;
  }

  /** Scans a file. Yields the number of records in the shared memory. The next step overwrites these records. */
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

  *#scanPart(xml: Uint8Array): Generator<number, void, undefined> {
    this.#exports.beginPart(this.#textAt);
    this.#textEnd = this.#textAt;
    this.#textFrom = 0;
    for (let at = 0; at < xml.length; ) {
      at += this.#append(xml, at);
      yield* this.#scanText();
    }
  }

  /** Takes stored hashes. Yields the number of records in the shared memory. The next step overwrites these records. */
  *#unpack(hashes: Uint8Array): Generator<number, void, undefined> {
    this.#exports.beginFile(this.#textAt);
    this.#textEnd = this.#textAt;
    if (this.#memory.length - PADDING - this.#textAt < hashes.length) this.#makeRoom(hashes.length);
    this.#append(hashes, 0);
    let records: number;
    do {
      records = this.#exports.unpack(this.#textEnd);
      if (records > 0) yield records;
    } while (records === MAX_RECORDS);
  }

  *#scanText(): Generator<number, void, undefined> {
    let records: number;
    do {
      records = this.#exports.scan(this.#textEnd);
      if (records === MALFORMED) throw new DamagedFile('a file has XML that is not ours');
      if (records > 0) yield records;
    } while (records === MAX_RECORDS);
    const position = this.#exports.position.value;
    this.#memory.copyWithin(this.#textAt, position, this.#textEnd);
    this.#textEnd -= position - this.#textAt;
    this.#textFrom += position - this.#textAt;
    this.#exports.moveText(this.#textAt);
  }

  /** Copies the piece from `from` on behind the text, as far as there is room. Returns the number of copied bytes. */
  #append(piece: Uint8Array, from: number): number {
    const limit = this.#memory.length - PADDING;
    // The entry fills the whole text buffer, so double it.
    if (this.#textEnd === limit) this.#makeRoom(2 * (limit - this.#textAt));
    const room = this.#memory.length - PADDING - this.#textEnd;
    const part = piece.subarray(from, from + room);
    this.#memory.set(part, this.#textEnd);
    this.#textEnd += part.length;
    return part.length;
  }

  #makeRoom(textBytes: number): void {
    const bytes = this.#textAt + textBytes + PADDING;
    this.#memory = growMemory(this.#exports.memory, this.#memory, bytes);
  }
}
