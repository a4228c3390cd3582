/**
 * The host of the kernel (kernel/transcode.ts describes their interface). The kernel turns common entries from JSON
 * bytes into XML bytes, many times faster than parsing, validating and rendering. It is only an optimisation: it takes
 * an entry only if `parseEntry` accepts it and `renderEntry` writes the same bytes. All other entries go through those
 * two. The XML is in the kernel's memory, so their output is appended there.
 */
import { readFileSync } from 'node:fs';
import { isLanguageTag } from './language-tag.ts';
import { MAX_TEXT_LENGTH, MAX_URL_LENGTH, MIN_LOC_LENGTH } from './limits.ts';
import { isOrdinaryOrigin } from './url.ts';

const PAGE_BYTES = 64 * 1024;
/** The static data of the kernel takes less than a page. */
const STATIC_BYTES = PAGE_BYTES;

/** WebAssembly memory never shrinks. After heavy entries a thread gets a new instance. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** UTF-8 takes at most three bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

/** The kernel reads and writes sixteen bytes at a time. */
const VECTOR = 16;
const aligned = (position: number) => (position + VECTOR - 1) & -VECTOR;

/**
 * The most XML that entries can become: `'` becomes six bytes, and a member's tags are at most six times as long as
 * the JSON around its value.
 */
export const maxXmlBytes = (jsonBytes: number, entries: number) => 6 * jsonBytes + 200 * entries;

interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly xmlEnd: WebAssembly.Global;
  readonly namespaces: WebAssembly.Global;
  transcode(ends: number, json: number, first: number, last: number, xmlStart: number): number;
}

export interface TakenXml {
  /** A view, valid until the next call of the transcoder. */
  readonly xml: Uint8Array;
  /** The bits of NAMESPACE, of the transcoded entries only. */
  readonly namespaces: number;
}

export class EntryTranscoder {
  readonly #module = new WebAssembly.Module(readFileSync(new URL('./kernel/kernel.wasm', import.meta.url)));
  #kernel!: Kernel;
  /** All of the kernel's memory. */
  #bytes!: Buffer;
  /** The current batch: where each entry ends, then positions in the kernel's memory. */
  #ends: Uint32Array = new Uint32Array(0);
  #endsAt = 0;
  #jsonAt = 0;
  #xmlAt = 0;
  #xmlEnd = 0;

  constructor() {
    this.#instantiate();
  }

  /** Loads a batch: entries in UTF-8, separated by commas, and the end of each. Replaces the batch before. */
  load(json: Uint8Array, ends: Uint32Array): void {
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#instantiate();
    this.#ends = ends;
    this.#endsAt = STATIC_BYTES;
    this.#jsonAt = aligned(this.#endsAt + ends.byteLength);
    this.#xmlAt = this.#xmlEnd = aligned(this.#jsonAt + json.length + VECTOR);
    this.#makeRoom(0);
    this.#bytes.set(new Uint8Array(ends.buffer, ends.byteOffset, ends.byteLength), this.#endsAt);
    this.#bytes.set(json, this.#jsonAt);
    this.#bytes.fill(0, this.#jsonAt + json.length, this.#xmlAt);
    this.#kernel.namespaces.value = 0;
  }

  /** Appends the XML of entries from `first` on. Returns the index of the first that is not plain, or `last + 1`. */
  transcode(first: number, last: number): number {
    const jsonBytes = this.#ends[last]! - (first === 0 ? 0 : this.#ends[first - 1]!);
    this.#makeRoom(maxXmlBytes(jsonBytes, last + 1 - first));
    const next = this.#kernel.transcode(this.#endsAt, this.#jsonAt, first, last, this.#xmlEnd);
    this.#xmlEnd = this.#kernel.xmlEnd.value;
    return next;
  }

  /** Appends XML of an entry that was rendered elsewhere. */
  append(xml: string): void {
    this.#makeRoom(MAX_BYTES_PER_UNIT * xml.length);
    this.#xmlEnd += this.#bytes.write(xml, this.#xmlEnd);
  }

  /** The XML since the last call. */
  take(): TakenXml {
    const taken = {
      xml: this.#bytes.subarray(this.#xmlAt, this.#xmlEnd),
      namespaces: this.#kernel.namespaces.value,
    };
    this.#xmlEnd = this.#xmlAt;
    this.#kernel.namespaces.value = 0;
    return taken;
  }

  #instantiate(): void {
    const textAt = (from: number, to: number) => this.#bytes.toString('latin1', from, to);
    const host = {
      MIN_LOC_LENGTH,
      MAX_URL_LENGTH,
      MAX_TEXT_LENGTH,
      isOrdinaryOrigin: (from: number, to: number) => isOrdinaryOrigin(textAt(from, to)),
      isLanguageTag: (from: number, to: number) => isLanguageTag(textAt(from, to)),
    };
    this.#kernel = new WebAssembly.Instance(this.#module, { host }).exports as unknown as Kernel;
    this.#bytes = Buffer.from(this.#kernel.memory.buffer);
  }

  /** Makes room for this many bytes after the XML, and for one vector more. */
  #makeRoom(bytes: number): void {
    const missing = this.#xmlEnd + bytes + VECTOR - this.#bytes.length;
    if (missing <= 0) return;
    this.#kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.#bytes = Buffer.from(this.#kernel.memory.buffer);
  }
}
