/**
 * The kernel of entries reads records of CSV as csv-entries.ts does, to the byte of the compressed XML and to the word of the violations:
 * random dialects, a thousand records each. For 5,000,000 records: `PROPERTY_RUNS=5000 npx vitest run test/judges/csv-kernel`.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryTranscoder } from '../../src/core/sitemap/entry-transcoder.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { DELIMITERS } from '../../src/features/uploads/forms/dialect.ts';
import { cellsOf } from '../../src/features/uploads/forms/entries-of.ts';
import type { Batch, RenderResult } from '../../src/features/uploads/fragment.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchesOf } from '../uploads/forms/read-form.ts';
import { Random } from './transcoding/random.ts';

const RECORDS = 1000;
const MEMBERS = ['loc', 'lastmod', 'priority', 'changefreq'];
/** Values that a member takes, and some that it refuses. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  loc: [
    'https://www.example.com/',
    'http://a.example',
    'https://münchen.example/ä b?c=%20&d#e',
    '/a',
    'https://a',
  ],
  lastmod: [
    '2026-01-15',
    '2026-01-15T10:00:00Z',
    '2026-01-15 10:00:00.123+00',
    '2026-01-15 10:00:00',
    '2026/01/15',
    '15.01.2026',
    '46037',
  ],
  priority: ['0.5', '1', '0', '0.80', '01', '-1', '1.', '5e-1', '.5', '0.12345678901234567', '1.0', '2'],
  changefreq: ['daily', 'weekly', 'never', 'Daily', 'sometimes'],
};
const WORDS = [
  '',
  '\\N',
  'NULL',
  'null',
  'None',
  '<NA>',
  'NaN',
  'nan',
  'NaT',
  'NA',
  'N/A',
  'n/a',
  '#N/A',
  '0.5',
  't',
];
const RARE = [
  '"',
  '""',
  '\\',
  '\\"',
  '\\\\',
  '\r',
  '\n',
  '\0',
  ' ',
  ',',
  ';',
  '\t',
  '|',
  '\x01',
  'é',
  '😀',
  '"a"',
];
const LETTERS = 'abcdefghij/:.-';

/** Most records are as programs write them. Others have any bytes anywhere, or a cell more or less. */
class RecordWriter {
  readonly #random: Random;
  readonly #delimiter: string;
  readonly #escapes: boolean;
  readonly #columns: readonly string[];

  constructor(random: Random, delimiter: string, escapes: boolean, columns: readonly string[]) {
    this.#random = random;
    this.#delimiter = delimiter;
    this.#escapes = escapes;
    this.#columns = columns;
  }

  record(): string {
    const random = this.#random;
    const isRare = random.onceIn(6);
    const last = this.#columns.length;
    const count = random.onceIn(20) ? random.between(1, last + 1) : last;
    const cellOf = (column = '-') => (isRare ? this.#rareCell() : this.#cell(column));
    const cells = Array.from({ length: count }, (_, i) => cellOf(this.#columns[i]));
    return cells.join(this.#delimiter) + (random.onceIn(5) ? '\r\n' : '\n');
  }

  #cell(column: string): string {
    const random = this.#random;
    const length = random.onceIn(4) ? random.below(200) : random.below(20);
    if (random.onceIn(10)) return random.pick(WORDS);
    const values = VALUES[column];
    if (values === undefined || random.onceIn(40)) {
      return random.onceIn(3)
        ? this.#quoted(random.text(`${LETTERS}"\\,;|`, length))
        : random.text(LETTERS, length);
    }
    const usual = column === 'loc' ? `${values[0]}${random.text(LETTERS, length)}` : values[random.below(2)]!;
    const value = random.onceIn(20) ? random.pick(values) : usual;
    const isQuoted = random.onceIn(10) || value.includes(this.#delimiter);
    return isQuoted ? this.#quoted(value) : value;
  }

  #quoted(text: string): string {
    return this.#escapes ? `"${text.replaceAll(/[\\"]/g, '\\$&')}"` : `"${text.replaceAll('"', '""')}"`;
  }

  #rareCell(): string {
    const random = this.#random;
    const parts = Array.from({ length: random.below(4) }, () => random.pick(RARE));
    return parts.join(random.onceIn(2) ? '' : random.text(LETTERS, random.below(70)));
  }
}

const anyDialect = fc.record({
  delimiter: fc.constantFrom(...Object.keys(DELIMITERS)),
  members: fc.shuffledSubarray(MEMBERS, { minLength: 1 }).filter((members) => members.includes('loc')),
  /** Ignored columns before each member and behind the last. */
  ignored: fc.array(fc.nat(3), { minLength: MEMBERS.length + 1, maxLength: MEMBERS.length + 1 }),
  hasEscapes: fc.boolean(),
  hasQuotes: fc.constantFrom(true, true, true, false),
  timezone: fc.constantFrom(undefined, 'UTC', 'Europe/Berlin'),
  seed: fc.nat(),
});

test('any thousand records in any dialect', async () => {
  const renderer = new BatchRenderer();
  const transcoder = new EntryTranscoder();
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      anyDialect,
      async ({ delimiter, members, ignored, hasEscapes, hasQuotes, timezone, seed }) => {
        const dashes = (i: number) => Array.from({ length: ignored[i]! }, () => '-');
        const columns = [
          ...members.flatMap((member, i) => [...dashes(i), member]),
          ...dashes(members.length),
        ];
        const byte = String.fromCharCode(DELIMITERS[delimiter]!);
        const writer = new RecordWriter(new Random(seed), byte, hasEscapes, columns);
        const first = `${columns.map(() => 'z').join(byte)}\n`;
        const csv = first + Array.from({ length: RECORDS }, () => writer.record()).join('');
        const query = {
          header: 'false',
          delimiter,
          columns: columns.join(','),
          ...(hasEscapes && { escape: 'backslash' }),
          ...(!hasQuotes && { quote: 'none' }),
          ...(timezone !== undefined && { timezone }),
        };
        const fast = await batchesOf('csv', csv, 65_536, query);
        // With a text for absent values, the kernel reads no records. The host writes their JSON.
        const slow = await batchesOf('csv', csv, 65_536, { ...query, null: 'never there' });
        for (const batch of fast) taken += takenBy(transcoder, batch);
        const rendered = (batches: readonly Batch[]) =>
          batches.map((batch) => comparable(renderer.render(batch, 'skip')));
        expect(rendered(fast)).toEqual(rendered(slow));
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
  // The kernel takes about half of the records. Those of some dialects need their JSON.
  expect(taken).toBeGreaterThan((PROPERTY_RUNS * RECORDS) / 3);
});

/** Returns the number of records that the kernel reads in place, without a reading of dates. */
function takenBy(transcoder: EntryTranscoder, { ends, ...batch }: Batch): number {
  transcoder.loadCells(batch.bytes, ends, cellsOf({ ends, ...batch })!.layout);
  let left = 0;
  for (let i = transcoder.transcode(0, ends.length - 1); i < ends.length; left++) {
    i = i + 1 < ends.length ? transcoder.transcode(i + 1, ends.length - 1) : ends.length;
  }
  return ends.length - left;
}

/** Leaves the bytes out, because they are too many to print. */
function comparable(result: RenderResult) {
  if (result.kind !== 'fragments') return result;
  const { entriesByPath, fragments, ...rest } = result;
  const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const sums = fragments.map(({ deflated, hashes, ...fragment }) => [fragment, sum(deflated), sum(hashes)]);
  return { ...rest, sums, normative: entriesByPath.normative };
}
