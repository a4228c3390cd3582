/**
 * Turns the records of a batch into fragments: parse, validate, render, compress. Each worker thread has one renderer, and the main thread
 * has one for small uploads. The fast path transcodes the bytes of an entry without parsing them (core/sitemap/entry-transcoder.ts). An
 * entry that the fast path cannot take takes the normative path, which parses it. Only the normative path can say why an entry is invalid.
 */
import type { Entry } from '../../core/sitemap/entry.ts';
import { EntryReader } from '../../core/sitemap/entry-reader.ts';
import { EntryTranscoder, type TakenEntries } from '../../core/sitemap/entry-transcoder.ts';
import { NO_NOTES, type Reading, sumOfNotes } from '../../core/sitemap/reading.ts';
import { namespacesOf, renderEntry } from '../../core/sitemap/render-entry.ts';
import type { Violation } from '../../core/sitemap/violation.ts';
import { FRAGMENT_XML_BYTES } from '../sites/fragment.ts';
import type { BatchCells, BatchEntries, RecordNames } from './forms/batch-entries.ts';
import { cellsOf, entriesOf } from './forms/entries-of.ts';
import { faultOfElement, MALFORMED, parseRecord } from './forms/parse-record.ts';
import {
  type Batch,
  ENTRIES_PER_FRAGMENT,
  MAX_LISTED_VIOLATIONS,
  MAX_REJECTED_VIOLATIONS,
  type OnInvalid,
  type RenderedFragment,
  type RenderResult,
} from './fragment.ts';
import { ViolationKinds } from './violation-kinds.ts';

interface Source {
  readonly ends: Uint32Array;
  readonly names: RecordNames | undefined;
  readonly isFiltered: Uint8Array | undefined;
  /** Returns the JSON of entry `i`. */
  textOf(i: number): string;
  /** Returns the JSON of entry `i` in UTF-8. Absent if the transcoder has the JSON of all entries. */
  jsonOf?(i: number): Uint8Array;
  /** Returns the number of texts with a backslash that may stand for another character. Call it when all entries are read. */
  escapes(): number;
}

function sourceOf({
  json,
  ends,
  names,
  filtered,
  escapes = 0,
}: BatchEntries): Source & { readonly text: Buffer } {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  return {
    text,
    ends,
    names,
    isFiltered: filtered,
    textOf: (i) => text.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, ends[i]),
    escapes: () => escapes,
  };
}

function sourceOfCells(cells: BatchCells, ends: Uint32Array): Source {
  return {
    ends,
    names: cells.names,
    isFiltered: undefined,
    textOf: (i) => Buffer.from(cells.jsonOf(i)).toString(),
    jsonOf: (i) => cells.jsonOf(i),
    escapes: () => cells.escapes,
  };
}

export class BatchRenderer {
  readonly #transcodes: boolean;
  readonly #transcoder: EntryTranscoder;
  // The number of news entries and the bit mask of namespaces. Each counts only the entries of the current fragment that took the normative
  // path.
  #newsEntries = 0;
  #namespaces = 0;
  /** The last reader is kept, because an upload has thousands of batches. */
  #reader: { readonly key: string; readonly reader: EntryReader } | undefined;

  /**
   * `transcodes` says whether entries may take the fast path. Without the fast path, the result is the same, but slower. `seed` is the seed
   * of the hashes of entries.
   */
  constructor(transcodes = true, seed = 0n) {
    this.#transcodes = transcodes;
    this.#transcoder = new EntryTranscoder(seed);
  }

  /**
   * `batch.bytes` must be UTF-8. The fragments leave out entries that a condition excludes. If `onInvalid` is `skip`, they also leave out
   * invalid entries.
   */
  render(batch: Batch, onInvalid: OnInvalid = 'fail'): RenderResult {
    return this.renderWithin(Number.POSITIVE_INFINITY, batch, onInvalid)!;
  }

  /**
   * Like `render`, but returns undefined if more than `maxNormative` entries need the normative path, or if the batch has more than
   * `maxNormative` violations.
   */
  renderWithin(maxNormative: number, batch: Batch, onInvalid: OnInvalid): RenderResult | undefined {
    const { firstIndex } = batch;
    const reader = this.#readerFor(batch.reading);
    const source = this.#load(batch, reader);
    const { ends, names, isFiltered } = source;
    const skips = onInvalid === 'skip';
    const maxViolations = skips ? MAX_REJECTED_VIOLATIONS : MAX_LISTED_VIOLATIONS;
    this.#newsEntries = this.#namespaces = 0;
    const fragments: RenderedFragment[] = [];
    const violations: Violation[] = [];
    const kinds = new ViolationKinds();
    let count = 0;
    let normative = 0;
    let rejectedEntries = 0;
    let filtered = 0;
    let notes = NO_NOTES;
    for (let first = 0, end = 0; first < ends.length; first = end) {
      end = Math.min(ends.length, nextMultiple(firstIndex + first, ENTRIES_PER_FRAGMENT) - firstIndex);
      let entries = end - first;
      const closeBefore = (next: number) => {
        // `entries` also counts the entries from `next` on.
        const rest = end - next;
        if (this.#transcoder.heldBytes < FRAGMENT_XML_BYTES || entries === rest || (count > 0 && !skips))
          return;
        fragments.push(this.#fragmentOf(this.#transcoder.take(), entries - rest));
        entries = rest;
      };
      for (let i = this.#transcode(source, first, end); i < end; i = this.#transcode(source, i + 1, end)) {
        if (isFiltered?.[i] === 1) {
          filtered++;
          entries--;
          continue;
        }
        if (++normative > maxNormative) return undefined;
        const parsed = parseRecord(source.textOf(i), i, firstIndex + i, names, reader);
        if (parsed === MALFORMED) {
          const entriesByPath = { kernel: i + 1 - filtered - normative, normative };
          return count > 0 && !skips
            ? { kind: 'violations', violations, count, kinds: kinds.list, entriesByPath }
            : {
                kind: 'malformed',
                index: firstIndex + i,
                fault: faultOfElement(source.textOf(i)),
                entriesByPath,
              };
        }
        if ('entry' in parsed) {
          // An entry may nearly fill a file, so a large one gets a fragment of its own.
          closeBefore(i);
          this.#render(parsed.entry);
          notes = sumOfNotes(notes, parsed.notes);
          closeBefore(i + 1);
        } else {
          entries--;
          rejectedEntries++;
          count += parsed.violations.length;
          if (count > maxNormative) return undefined;
          for (const violation of parsed.violations) kinds.add(violation, batch.reading);
          violations.push(...parsed.violations.slice(0, maxViolations - violations.length));
        }
      }
      if (entries > 0 && (count === 0 || skips)) {
        fragments.push(this.#fragmentOf(this.#transcoder.take(), entries));
      } else this.#drop();
    }
    const entriesByPath = { kernel: ends.length - filtered - normative, normative };
    notes = sumOfNotes(notes, { ...this.#transcoder.takeNotes(), escapes: source.escapes() });
    if (count === 0) return { kind: 'fragments', fragments, notes, filtered, entriesByPath };
    if (!skips) return { kind: 'violations', violations, count, kinds: kinds.list, entriesByPath };
    const rejected = { entries: rejectedEntries, violations, count, kinds: kinds.list };
    return { kind: 'fragments', fragments, rejected, notes, filtered, entriesByPath };
  }

  #readerFor(reading: Reading | undefined): EntryReader | undefined {
    if (reading === undefined) return undefined;
    const key = JSON.stringify(reading);
    if (this.#reader?.key !== key) this.#reader = { key, reader: new EntryReader(reading) };
    return this.#reader.reader;
  }

  #load(batch: Batch, reader: EntryReader | undefined): Source {
    const transcoder = this.#transcoder;
    transcoder.setReader(reader);
    const cells = this.#transcodes ? cellsOf(batch) : undefined;
    if (cells === undefined) {
      const source = sourceOf(entriesOf(batch));
      transcoder.load(source.text, source.ends);
      return source;
    }
    transcoder.loadCells(batch.bytes, batch.ends, cells.layout);
    return sourceOfCells(cells, batch.ends);
  }

  /** Returns the next entry that needs the normative path, or `end`. */
  #transcode({ jsonOf }: Source, first: number, end: number): number {
    if (!this.#transcodes) return first;
    let i = first;
    while (i < end) {
      i = this.#transcoder.transcode(i, end - 1);
      if (i === end || jsonOf === undefined || !this.#transcoder.transcodeOne(jsonOf(i))) return i;
      i++;
    }
    return i;
  }

  #render(entry: Entry): void {
    this.#transcoder.append(renderEntry(entry));
    this.#namespaces |= namespacesOf(entry);
    if (entry.news !== undefined) this.#newsEntries++;
  }

  #drop(): void {
    this.#transcoder.drop();
    this.#newsEntries = this.#namespaces = 0;
  }

  #fragmentOf(taken: TakenEntries, entries: number): RenderedFragment {
    const fragment = {
      ...taken,
      entries,
      newsEntries: this.#newsEntries + taken.newsEntries,
      namespaces: this.#namespaces | taken.namespaces,
    };
    this.#newsEntries = this.#namespaces = 0;
    return fragment;
  }
}

function nextMultiple(of: number, step: number): number {
  return of - (of % step) + step;
}
