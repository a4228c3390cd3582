/**
 * Makes upload bodies that cost the client next to nothing. The entries are made once, as JSON, and sent in large slices as often as
 * needed. This is fair, because the server gains no time from entries that it has seen before.
 */
import { generatedEntry } from '../tools/generated-upload.ts';
import { richEntry } from '../tools/rich-entry.ts';
import { BENCH_HOSTNAME } from './bench-waypost.ts';

export interface BodyForm {
  /** The number of times that the entries are sent. */
  readonly repeat?: number;
  /** The members beside `domain` and `urls`. `force` is true by default: benches send the same list again, and it must be published. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Whether `urls` comes before all other members. */
  readonly urlsFirst?: boolean;
}

const SLICE_BYTES = 1024 * 1024;

/** `count` entries with commas between them: loc, lastmod, changefreq and priority, 133 bytes each. */
export function plainEntries(count: number): Buffer {
  return joinedTexts(count, plainEntry);
}

export const plainEntry = (i: number) => JSON.stringify(generatedEntry(i));

/** A prime. Its multiples visit every entry once, and keep no run of entries together. */
const STRIDE = 7_368_787;

/** The same entries in another order. `hasChanged`: whether an entry has another `lastmod`. */
export function shuffledPlainEntries(
  count: number,
  hasChanged: (n: number) => boolean = () => false,
): Buffer {
  return joinedTexts(count, shuffledPlainEntry(count, hasChanged));
}

/** Returns a function that makes the text of the entry at each place. The entries are in another order. */
export function shuffledPlainEntry(count: number, hasChanged: (n: number) => boolean): (i: number) => string {
  return (i) => {
    const n = (i * STRIDE) % count;
    const entry = generatedEntry(n);
    return JSON.stringify(hasChanged(n) ? { ...entry, lastmod: '2026-11-11' } : entry);
  };
}

/** `count` entries with images, hreflang, some video and news, 426 bytes each on average. */
export function richEntries(count: number): Buffer {
  return joinedTexts(count, (i) => JSON.stringify(richEntry(i)));
}

export const CSV_HEADER = 'loc,lastmod,changefreq,priority\n';

/** Plain entries as records of CSV, without the header. */
export function csvRecords(count: number): Buffer {
  return joinedTexts(count, (i) => `${Object.values(generatedEntry(i)).join(',')}\n`, '');
}

export function uploadBody(entries: Buffer, form: BodyForm = {}): Generator<Buffer, void, undefined> {
  return bodyOfParts(repeated(entries, form.repeat ?? 1), form);
}

/**
 * Returns a body whose entries are made while it is sent, because they are too many for memory. Making them costs the client processor
 * time.
 */
export function uploadBodyOf(
  count: number,
  textOf: (i: number) => string,
  form: Omit<BodyForm, 'repeat'>,
): Generator<Buffer, void, undefined> {
  return bodyOfParts(textParts(count, textOf, ','), form);
}

function* bodyOfParts(
  parts: Iterable<Buffer>,
  { members = {}, urlsFirst = false }: BodyForm,
): Generator<Buffer, void, undefined> {
  const others = JSON.stringify({ domain: BENCH_HOSTNAME, force: true, ...members }).slice(1, -1);
  yield Buffer.from(urlsFirst ? '{"urls":[' : `{${others},"urls":[`);
  yield* parts;
  yield Buffer.from(urlsFirst ? `],${others}}` : ']}');
}

/** Yields the entries in slices, `times` times, with `between` between the repetitions. */
export function* repeated(entries: Buffer, times: number, between = ','): Generator<Buffer, void, undefined> {
  const separator = Buffer.from(between);
  for (let time = 0; time < times; time++) {
    if (time > 0 && separator.length > 0) yield separator;
    for (let at = 0; at < entries.length; at += SLICE_BYTES) yield entries.subarray(at, at + SLICE_BYTES);
  }
}

/**
 * `count` entries with `between` between them. They are joined in parts, because together they exceed the maximum length
 * of a string.
 */
export function joinedTexts(count: number, textOf: (i: number) => string, between = ','): Buffer {
  return Buffer.concat([...textParts(count, textOf, between)]);
}

function* textParts(
  count: number,
  textOf: (i: number) => string,
  between: string,
): Generator<Buffer, void, undefined> {
  const part = 1000;
  for (let from = 0; from < count; from += part) {
    let text = '';
    for (let i = from; i < Math.min(count, from + part); i++) {
      text += (i === 0 ? '' : between) + textOf(i);
    }
    yield Buffer.from(text);
  }
}
