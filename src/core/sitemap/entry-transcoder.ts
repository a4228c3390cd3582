/**
 * Runs the kernel, a WebAssembly module (kernels/sitemap/transcode.ts describes its interface). The kernel turns entries from JSON bytes
 * into XML bytes, many times faster than parsing, validating and rendering. The kernel is only an optimisation: it takes an entry only if
 * `parseEntry` accepts the entry and `renderEntry` writes the same bytes. Callers give all other entries to these two functions, and append
 * the XML to the memory of the kernel, where all XML is deflated.
 */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { growMemory } from '../../platform/grow-memory.ts';
import type { DeflatedPiece } from '../../platform/gzip/gzip-member.ts';
import { BLOCK, VECTOR } from '../../platform/kernel-layout.ts';
import { ENTRY_XML } from './elements.ts';
import type { EntryReader } from './entry-reader.ts';
import { MAX_ENTRY_XML_BYTES } from './entry-size.ts';
import {
  HAS_ESCAPES,
  HAS_QUOTES,
  HAS_STRAY_QUOTES,
  HASHES_BYTES,
  IGNORED,
  LANGUAGE_TAG,
  MAX_TAKEN_ENTRIES,
  NEWS_LANGUAGE,
  NO_OFFSET,
  READ_KIND_BITS,
  READ_LENGTH_BITS,
} from './kernel-layout.ts';
import { writeKernelTables } from './kernel-tables.ts';
import { isLanguageTag } from './language-tag.ts';
import { MAX_URL_LENGTH, MIN_LOC_LENGTH } from './limits.ts';
import { NAMESPACE } from './namespaces.ts';
import { isNewsLanguage, isStockTickers } from './news-codes.ts';
import { isShortDecimal, plainDecimal } from './plain-decimal.ts';
import type { ReadingNotes } from './reading.ts';
import { joinBase, MAX_BASE_URL_LENGTH } from './relative-url.ts';
import { normaliseOrigin } from './url.ts';
import { unescapeText } from './xml-text.ts';

/** WebAssembly memory never shrinks. After heavy entries a thread gets a new instance. */
const MAX_KEPT_BYTES = 24 * 1024 * 1024;

/** UTF-8 takes at most three bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const aligned = (position: number) => (position + VECTOR - 1) & -VECTOR;

/**
 * Room for the XML of entries. In XML, `'` takes six bytes. The tags of a member are at most six times as long as the JSON around its value,
 * and a little longer for a member like `"tag":["'"]`. The kernel reserves six bytes for each byte of a URL. If an entry has no room, the
 * kernel does not take it.
 */
const xmlRoom = (jsonBytes: number, entries: number) => 7 * jsonBytes + 400 * entries + 6 * MAX_URL_LENGTH;

/**
 * Room for the rewritten values of one entry. A byte of a URL becomes at most three bytes, and a decoded value takes room too. If an entry
 * has no room, the kernel does not take it.
 */
const scratchRoom = (jsonBytes: number) => 5 * jsonBytes + 1024;

/** Room for deflated XML. A Huffman code of a byte has at most 15 bits. The other bytes are for the table of the codes. */
const deflatedRoom = (xmlBytes: number) => 2 * xmlBytes + 4096;

const DAY_MS = 86_400_000;

/** The kernel has room for a normalised origin that is at most this many times as long as the origin was. */
const MAX_ORIGIN_GROWTH = 3;

const MEMBERS = Object.keys(ENTRY_XML.members);

/** How the kernel reads the cells of CSV records in place. */
export interface CellLayout {
  /** The member of the entry for each cell. It has a plain value. Undefined: the cell is ignored. */
  readonly members: readonly (string | undefined)[];
  /** The byte between two cells. */
  readonly delimiter: number;
  readonly hasEscapes: boolean;
  readonly hasQuotes: boolean;
  readonly refusesStrayQuotes: boolean;
}

type Transcode = (
  ends: number,
  text: number,
  first: number,
  last: number,
  scratch: number,
  scratchLimit: number,
  xmlStart: number,
  xmlLimit: number,
) => number;

interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly tables: WebAssembly.Global;
  readonly xmlEnd: WebAssembly.Global;
  readonly namespaces: WebAssembly.Global;
  readonly newsEntries: WebAssembly.Global;
  setSeed(seed: bigint): void;
  setReading(isWide: boolean, hasZone: boolean, isUtc: boolean): void;
  setBase(hasBase: boolean): void;
  readonly zonedDates: WebAssembly.Global;
  readonly dateKinds: WebAssembly.Global;
  readonly hashes: WebAssembly.Global;
  readonly hashed: WebAssembly.Global;
  readonly digest: WebAssembly.Global<bigint>;
  readonly origin: WebAssembly.Global;
  readonly originBytes: WebAssembly.Global;
  hashEntry(xml: number, xmlEnd: number): void;
  hashEntries(xml: number, xmlEnd: number): void;
  clearHashes(): void;
  setCells(columns: number, count: number, delimiter: number, flags: number): void;
  readonly transcode: Transcode;
  readonly transcodeCells: Transcode;
  deflate(xml: number, xmlEnd: number, to: number): number;
}

export interface TakenEntries extends DeflatedPiece {
  /** The bits of NAMESPACE that the transcoded entries use. Appended entries do not count. */
  readonly namespaces: number;
  /** The number of transcoded entries with news. Appended entries do not count. */
  readonly newsEntries: number;
  /** The sum of the seeded hashes of all entries, modulo 2^64. It does not depend on their order. */
  readonly digest: bigint;
  /** HASHES_BYTES for each entry, in order. */
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** The origin of all entries, without XML escapes; undefined if they have several. */
  readonly origin: string | undefined;
}

/** The WebAssembly module, which the first transcoder of a thread compiles. */
let module: WebAssembly.Module | undefined;

export class EntryTranscoder {
  readonly #seed: bigint;
  #kernel!: Kernel;
  /** All of the kernel's memory. */
  #bytes!: Buffer;
  #reader: EntryReader | undefined;
  /** The length of the static data. */
  #staticBytes = 0;
  /** The end of each entry of the current batch. The members below are positions in the kernel's memory. */
  #ends: Uint32Array = new Uint32Array(0);
  #endsAt = 0;
  #textAt = 0;
  #hasCells = false;
  #scratchAt = 0;
  #xmlAt = 0;
  #xmlEnd = 0;

  /** `seed` is the seed of the hashes of entries: 64 bits. */
  constructor(seed = 0n) {
    this.#seed = seed;
    this.#instantiate();
  }

  /** Sets how values are read, for all later batches. */
  setReader(reader: EntryReader | undefined): void {
    if (reader === this.#reader) return;
    this.#reader = reader;
    this.#setReading();
  }

  /** Loads a batch: entries in UTF-8, separated by commas, and the end of each. Replaces the previous batch. */
  load(json: Uint8Array, ends: Uint32Array): void {
    this.#load(json, ends, 0);
    this.#hasCells = false;
  }

  /** Loads a batch: records of CSV in UTF-8, and the end of each. Replaces the previous batch. */
  loadCells(records: Uint8Array, ends: Uint32Array, layout: CellLayout): void {
    const { members, delimiter, hasEscapes, hasQuotes, refusesStrayQuotes } = layout;
    const columns = Int32Array.from(members, (name) =>
      name === undefined ? IGNORED : MEMBERS.indexOf(name),
    );
    const columnsAt = this.#load(records, ends, columns.byteLength);
    this.#bytes.set(new Uint8Array(columns.buffer), columnsAt);
    const flags =
      (hasEscapes ? HAS_ESCAPES : 0) |
      (hasQuotes ? HAS_QUOTES : 0) |
      (refusesStrayQuotes ? HAS_STRAY_QUOTES : 0);
    this.#kernel.setCells(columnsAt, columns.length, delimiter, flags);
    this.#hasCells = true;
  }

  /** Returns the position of `more` bytes behind the text. */
  #load(text: Uint8Array, ends: Uint32Array, more: number): number {
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#instantiate();
    this.#ends = ends;
    this.#endsAt = this.#staticBytes;
    this.#textAt = aligned(this.#endsAt + ends.byteLength);
    const moreAt = aligned(this.#textAt + text.length + BLOCK);
    this.#scratchAt = aligned(moreAt + more);
    this.#xmlAt = this.#xmlEnd = aligned(this.#scratchAt + scratchRoom(longest(ends)) + this.#baseRoom);
    this.#makeRoom(0);
    this.#bytes.set(new Uint8Array(ends.buffer, ends.byteOffset, ends.byteLength), this.#endsAt);
    this.#bytes.set(text, this.#textAt);
    this.#bytes.fill(0, this.#textAt + text.length, moreAt);
    this.drop();
    return moreAt;
  }

  /** Appends the XML of entries from `first` on. Returns the index of the first entry that the kernel does not take, or `last + 1`. */
  transcode(first: number, last: number): number {
    const textBytes = this.#ends[last]! - (first === 0 ? 0 : this.#ends[first - 1]!);
    const room = xmlRoom(textBytes, last + 1 - first) + this.#baseRoom * (last + 1 - first);
    this.#makeRoom(room);
    const { transcode, transcodeCells } = this.#kernel;
    const next = (this.#hasCells ? transcodeCells : transcode)(
      this.#endsAt,
      this.#textAt,
      first,
      last,
      this.#scratchAt,
      this.#xmlAt,
      this.#xmlEnd,
      this.#xmlEnd + room,
    );
    this.#xmlEnd = this.#kernel.xmlEnd.value;
    return next;
  }

  /** Appends the XML of an entry that is not in the loaded batch. Returns false if the kernel does not take the entry. */
  transcodeOne(json: Uint8Array): boolean {
    const limit = this.#xmlEnd + xmlRoom(json.length, 1) + this.#baseRoom;
    const endAt = aligned(limit + VECTOR);
    const jsonAt = endAt + VECTOR;
    const scratchAt = aligned(jsonAt + json.length + VECTOR);
    const scratchLimit = scratchAt + scratchRoom(json.length) + this.#baseRoom;
    this.#makeRoom(scratchLimit - this.#xmlEnd);
    this.#bytes.writeInt32LE(json.length, endAt);
    this.#bytes.set(json, jsonAt);
    this.#bytes.fill(0, jsonAt + json.length, scratchAt);
    const { transcode, xmlEnd } = this.#kernel;
    const next = transcode(endAt, jsonAt, 0, 0, scratchAt, scratchLimit, this.#xmlEnd, limit);
    this.#xmlEnd = xmlEnd.value;
    return next === 1;
  }

  /** Appends the XML of an entry that `renderEntry` wrote. */
  append(xml: string): void {
    this.#makeRoom(MAX_BYTES_PER_UNIT * xml.length);
    const from = this.#xmlEnd;
    this.#xmlEnd += this.#bytes.write(xml, from);
    this.#kernel.hashEntry(from, this.#xmlEnd);
  }

  /** Appends the XML of entries that were rendered before. */
  appendRendered(xml: Uint8Array): void {
    this.#makeRoom(xml.length + VECTOR);
    const from = this.#xmlEnd;
    this.#bytes.set(xml, from);
    this.#xmlEnd = from + xml.length;
    this.#kernel.hashEntries(from, this.#xmlEnd);
  }

  /** The length of the XML since the last call of `take`. */
  get heldBytes(): number {
    return this.#xmlEnd - this.#xmlAt;
  }

  /** Returns the XML since the last call, deflated, in a buffer of its own. The XML may have at most MAX_TAKEN_ENTRIES entries. */
  take(): TakenEntries {
    const length = this.#xmlEnd - this.#xmlAt;
    const deflatedAt = aligned(this.#xmlEnd + VECTOR);
    this.#makeRoom(deflatedRoom(length));
    const xml = this.#bytes.subarray(this.#xmlAt, this.#xmlEnd);
    const deflatedEnd = this.#kernel.deflate(this.#xmlAt, this.#xmlEnd, deflatedAt);
    const taken = {
      deflated: new Uint8Array(this.#bytes.subarray(deflatedAt, deflatedEnd)),
      bytes: length,
      crc: crc32(xml),
      namespaces: this.#kernel.namespaces.value,
      newsEntries: this.#kernel.newsEntries.value,
      digest: BigInt.asUintN(64, this.#kernel.digest.value),
      ...this.#takeHashes(),
    };
    this.drop();
    return taken;
  }

  /** Returns the sum of the seeded hashes of the entries since the last call of `take` or of this method, and forgets the entries. */
  takeDigest(): bigint {
    const digest = BigInt.asUintN(64, this.#kernel.digest.value);
    this.drop();
    return digest;
  }

  /** Returns the notes on the values of transcoded entries since the last call. */
  takeNotes(): ReadingNotes {
    const { zonedDates, dateKinds } = this.#kernel;
    const notes = { zoned: zonedDates.value, dateKinds: dateKinds.value, escapes: 0 };
    zonedDates.value = dateKinds.value = 0;
    return notes;
  }

  /** Forgets the XML since the last call of `take`. */
  drop(): void {
    this.#xmlEnd = this.#xmlAt;
    this.#kernel.namespaces.value = this.#kernel.newsEntries.value = 0;
    this.#kernel.clearHashes();
  }

  #takeHashes(): Pick<TakenEntries, 'hashes' | 'origin'> {
    const { hashes, hashed, origin, originBytes } = this.#kernel;
    if (hashed.value > MAX_TAKEN_ENTRIES) throw new RangeError(`${hashed.value} entries in one piece`);
    const bytesFrom = (from: number, length: number) => this.#bytes.subarray(from, from + length);
    const text = unescapeText(bytesFrom(origin.value, originBytes.value).toString());
    return {
      hashes: new Uint8Array(bytesFrom(hashes.value, hashed.value * HASHES_BYTES)),
      origin: text === '' ? undefined : text,
    };
  }

  #instantiate(): void {
    const textAt = (from: number, end: number) => this.#bytes.toString('utf8', from, end);
    const host = {
      MIN_LOC_LENGTH,
      MAX_URL_LENGTH,
      MAX_BASE_URL_LENGTH,
      MAX_ENTRY_XML_BYTES,
      NEWS_NAMESPACE: NAMESPACE.news,
      normaliseOrigin: (from: number, end: number, to: number) => {
        const origin = normaliseOrigin(textAt(from, end)) ?? '';
        if (origin.length > MAX_ORIGIN_GROWTH * (end - from)) return 0;
        return this.#bytes.write(origin, to);
      },
      isCode: (kind: number, from: number, end: number) => isCode(kind, textAt(from, end)),
      formatNumber: (isInteger: number, min: number, max: number, from: number, end: number, to: number) => {
        const number = Number(textAt(from, end));
        const isAccepted = isInteger ? Number.isSafeInteger(number) : isShortDecimal(number);
        return isAccepted && number >= min && number <= max ? this.#bytes.write(plainDecimal(number), to) : 0;
      },
      readDate: (from: number, end: number, isNumber: number, to: number) => {
        const text = textAt(from, end);
        const read = this.#reader!.dates.read(isNumber ? Number(text) : text);
        if ('problem' in read) return 0;
        const { zoned, dateKinds } = read.notes;
        const flags = (zoned << READ_KIND_BITS) | dateKinds;
        return (flags << READ_LENGTH_BITS) | this.#bytes.write(read.date, to);
      },
      joinBase: (from: number, end: number, to: number) => {
        const joined = joinBase(this.#reader!.baseUrl!, textAt(from, end));
        return joined !== undefined && 'url' in joined ? this.#bytes.write(joined.url, to) : 0;
      },
      offsetOfDay: (day: number) => this.#reader!.dates.zone!.offsetOfDay(day * DAY_MS) ?? NO_OFFSET,
    };
    module ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
    this.#kernel = new WebAssembly.Instance(module, { host }).exports as unknown as Kernel;
    this.#bytes = Buffer.from(this.#kernel.memory.buffer);
    this.#staticBytes = this.#bytes.length;
    this.#kernel.setSeed(this.#seed);
    this.#setReading();
    writeKernelTables(this.#bytes, this.#kernel.tables.value);
  }

  /** Room for a base URL before a few URLs of an entry, in the scratch and in the XML. */
  get #baseRoom(): number {
    return 8 * (this.#reader?.baseUrl?.length ?? 0);
  }

  #setReading(): void {
    const zone = this.#reader?.dates.zone;
    this.#kernel.setReading(this.#reader?.hasWideDates === true, zone !== undefined, zone?.isUtc === true);
    this.#kernel.setBase(this.#reader?.baseUrl !== undefined);
  }

  /** Makes room for this many bytes after the XML, and for one vector more. */
  #makeRoom(bytes: number): void {
    this.#bytes = growMemory(this.#kernel.memory, this.#bytes, this.#xmlEnd + bytes + VECTOR);
  }
}

function isCode(kind: number, text: string): boolean {
  if (kind === LANGUAGE_TAG) return isLanguageTag(text);
  return kind === NEWS_LANGUAGE ? isNewsLanguage(text) : isStockTickers(text);
}

function longest(ends: Uint32Array): number {
  let length = 0;
  let from = 0;
  for (const end of ends) {
    if (end - from > length) length = end - from;
    from = end;
  }
  return length;
}
