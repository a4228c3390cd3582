/**
 * From a batch's JSON to its fragments: parse, validate, render, compress. Runs in a thread, which has one
 * renderer for all its batches. Each entry goes by the short way of bytes if it can (transcode-entry.ts), and
 * by the normative one, which alone knows what is wrong with an entry, if it cannot.
 */
import { deflatePiece } from '../platform/gzip-member.ts';
import type { Entry } from '../sitemap/entry.ts';
import { parseEntry, type Violation } from '../sitemap/parse-entry.ts';
import { namespacesOf, renderEntry } from '../sitemap/render-entry.ts';
import { EntryTranscoder, maxTranscodedBytes } from '../sitemap/transcode-entry.ts';
import {
  type Batch,
  ENTRIES_PER_FRAGMENT,
  type Fragment,
  MAX_LISTED_VIOLATIONS,
  type RenderResult,
} from './fragment.ts';

/** Room for the XML of a thousand entries with some images; more is made when a batch needs it. */
const INITIAL_XML_BYTES = 1024 * 1024;

/** One batch of heavy entries must not hold memory for all that follow. */
const MAX_KEPT_XML_BYTES = 8 * INITIAL_XML_BYTES;

/** UTF-8 has at most three bytes for each UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

export class BatchRenderer {
  readonly #transcoder: EntryTranscoder | undefined;
  #xml = Buffer.allocUnsafeSlow(INITIAL_XML_BYTES);
  // The fragment at hand: how long its XML is, and what it holds.
  #length = 0;
  #entries = 0;
  #newsEntries = 0;
  #namespaces = 0;

  /** `transcodes`: whether entries may go the short way. The result is the same, and slower, without. */
  constructor(transcodes = true) {
    this.#transcoder = transcodes ? new EntryTranscoder() : undefined;
  }

  /** `batch.bytes` must be UTF-8. */
  render({ bytes, ends, firstIndex }: Batch): RenderResult {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const fragments: Fragment[] = [];
    const violations: Violation[] = [];
    let count = 0;
    for (let i = 0, from = 0; i < ends.length; i++) {
      const to = ends[i]!;
      if (!this.#transcode(json, from, to)) {
        const value = parseJson(json.toString('utf8', from, to));
        if (value === MALFORMED) {
          if (count > 0) break;
          return this.#reset({ kind: 'malformed', index: firstIndex + i });
        }
        const parsed = parseEntry(value, firstIndex + i);
        if ('entry' in parsed) this.#render(parsed.entry);
        else {
          count += parsed.violations.length;
          violations.push(...parsed.violations.slice(0, MAX_LISTED_VIOLATIONS - violations.length));
        }
      }
      this.#entries++;
      const isLast = i === ends.length - 1 || (firstIndex + i + 1) % ENTRIES_PER_FRAGMENT === 0;
      if (isLast && count === 0) fragments.push(this.#takeFragment());
      from = to + 1;
    }
    if (count > 0) return this.#reset({ kind: 'violations', violations, count });
    return this.#reset({ kind: 'fragments', fragments });
  }

  #takeFragment(): Fragment {
    const piece = deflatePiece(this.#xml.subarray(0, this.#length));
    const fragment = {
      ...piece,
      entries: this.#entries,
      newsEntries: this.#newsEntries,
      namespaces: this.#namespaces,
    };
    this.#length = this.#entries = this.#newsEntries = this.#namespaces = 0;
    return fragment;
  }

  /** Leaves nothing to the next batch. */
  #reset(result: RenderResult): RenderResult {
    this.#length = this.#entries = this.#newsEntries = this.#namespaces = 0;
    if (this.#xml.length > MAX_KEPT_XML_BYTES) this.#xml = Buffer.allocUnsafeSlow(INITIAL_XML_BYTES);
    return result;
  }

  #transcode(json: Buffer, from: number, to: number): boolean {
    if (this.#transcoder === undefined) return false;
    this.#makeRoom(maxTranscodedBytes(to - from));
    const end = this.#transcoder.transcode(json, from, to, this.#xml, this.#length);
    if (end < 0) return false;
    this.#length = end;
    this.#namespaces |= this.#transcoder.namespaces;
    return true;
  }

  #render(entry: Entry): void {
    const xml = renderEntry(entry);
    this.#makeRoom(xml.length * MAX_BYTES_PER_UNIT);
    this.#length += this.#xml.write(xml, this.#length);
    this.#namespaces |= namespacesOf(entry);
    if (entry.news !== undefined) this.#newsEntries++;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#xml.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    this.#xml.copy(larger, 0, 0, this.#length);
    this.#xml = larger;
  }
}

/** Stands for an element that is not JSON. */
const MALFORMED = Symbol('malformed');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MALFORMED;
  }
}
