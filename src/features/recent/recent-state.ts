/**
 * The state of the sitemap of recent changes, an object beside the files of that sitemap. The state says which URL is in which fragment of
 * the files, and when the URL changed. The next version of the files is made from the state. All numbers are little-endian:
 *
 * ```
 * u32 × 2    FORM · CRC-32 of all that follows
 * u32 × 5    XML_VERSION · entries · removed URLs · fragments · bytes of the text
 * u32 × 7    for each fragment: its file · deflated bytes · bytes of its XML · their CRC-32 · entries · news entries · namespaces
 * records    of the entries, in the order of the files: KEY_BYTES each, then u32 each: second · generation · sitemap (index in the text)
 * records    of the removed URLs, in the same form
 * text       JSON as raw deflate: the names of the sitemaps, where the first fragment of each file begins, the newest changes
 * ```
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { XML_VERSION } from '../../core/sitemap/xml-version.ts';
import type { FragmentPlace } from '../sites/fragment.ts';
import { type Records, recordsRoom } from './records.ts';

const FORM = 0x31525057;
/** The CRC-32 covers all bytes from here on. */
const SUMMED_FROM = 8;
const HEAD_BYTES = 28;
const FRAGMENT_WORDS = 7;

const changeSchema = z.object({
  /** Unix time in seconds. */
  at: z.int(),
  sitemap: z.string(),
  loc: z.string(),
  isRemoved: z.boolean(),
  /** The generation of the change. It is 0 in states of former versions of Waypost. */
  seq: z.int().default(0),
});
/** A changed URL of the feed. */
export type Change = z.infer<typeof changeSchema>;

const textSchema = z.object({
  sitemaps: z.array(z.string()),
  fragmentsFrom: z.array(z.int()),
  changes: z.array(changeSchema),
});

/** A fragment, and the number of its file, from 1. */
export interface PlacedFragment extends FragmentPlace {
  readonly file: number;
}

export interface RecentState extends z.infer<typeof textSchema> {
  readonly isOurXml: boolean;
  /** The fragments in the order of the files. */
  readonly fragments: readonly PlacedFragment[];
  readonly entries: Records;
  readonly removed: Records;
}

export function writeRecentState(state: Omit<RecentState, 'isOurXml'>): Uint8Array[] {
  const { fragments, entries, removed, sitemaps, fragmentsFrom, changes } = state;
  const text = deflateRawSync(JSON.stringify({ sitemaps, fragmentsFrom, changes }));
  const head = Buffer.alloc(HEAD_BYTES + 4 * FRAGMENT_WORDS * fragments.length);
  head.writeUInt32LE(FORM, 0);
  const numbers = [XML_VERSION, entries.count, removed.count, fragments.length, text.length];
  const table = fragments.flatMap(
    ({ file, deflatedBytes, bytes, crc, entries: n, newsEntries, namespaces }) => [
      ...[file, deflatedBytes, bytes, crc, n, newsEntries, namespaces],
    ],
  );
  for (const [i, number] of [...numbers, ...table].entries()) head.writeUInt32LE(number, 8 + 4 * i);
  const parts = [...partsOf(entries), ...partsOf(removed), text];
  const sum = parts.reduce((crc, part) => crc32(part, crc), crc32(head.subarray(SUMMED_FROM)));
  head.writeUInt32LE(sum, 4);
  return [head, ...parts];
}

const partsOf = ({ keys, times, seqs, sitemaps }: Records): Uint8Array[] => [
  keys,
  ...[times, seqs, sitemaps].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ),
];

/** Returns undefined if the state is damaged, or has another form. */
export function readRecentState(object: Buffer): RecentState | undefined {
  if (object.length < HEAD_BYTES || object.readUInt32LE(0) !== FORM) return undefined;
  if (crc32(object.subarray(SUMMED_FROM)) !== object.readUInt32LE(4)) return undefined;
  const head = (word: number) => object.readUInt32LE(8 + 4 * word);
  const fragments = Array.from({ length: head(3) }, (_, i) => {
    const number = (word: number) => object.readUInt32LE(HEAD_BYTES + 4 * (i * FRAGMENT_WORDS + word));
    const [file, deflatedBytes, bytes, crc] = [number(0), number(1), number(2), number(3)];
    const [entries, newsEntries, namespaces] = [number(4), number(5), number(6)];
    return { file, deflatedBytes, bytes, crc, entries, newsEntries, namespaces };
  });
  let at = HEAD_BYTES + 4 * FRAGMENT_WORDS * fragments.length;
  const take = (bytes: number) => {
    at += bytes;
    return object.subarray(at - bytes, at);
  };
  const takeRecords = (count: number) => {
    const records = recordsRoom(count);
    for (const part of partsOf(records)) part.set(take(part.length));
    return records;
  };
  const entries = takeRecords(head(1));
  const removed = takeRecords(head(2));
  const text = textSchema.parse(JSON.parse(inflateRawSync(take(head(4))).toString()));
  return { ...text, isOurXml: head(0) === XML_VERSION, fragments, entries, removed };
}
