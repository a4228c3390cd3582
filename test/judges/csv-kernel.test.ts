/**
 * The kernel of CSV writes the JSON that csv-entries.ts writes without it: random dialects, a thousand records each. For 5,000,000
 * records: `PROPERTY_RUNS=5000 npx vitest run test/judges/csv-kernel`.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DELIMITERS } from '../../src/features/uploads/forms/dialect.ts';
import { entriesOf } from '../../src/features/uploads/forms/entries-of.ts';
import type { Batch } from '../../src/features/uploads/fragment.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchesOf } from '../uploads/forms/read-form.ts';
import { Random } from './transcoding/random.ts';

const RECORDS = 1000;
const MEMBERS = ['loc', 'lastmod', 'priority', 'changefreq'];
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
  '0.5',
  '1',
  '01',
  '-1',
  '1.',
  't',
];
const DATES = ['2026-01-15', '2026-01-15 10:00:00.123+00', '2026/01/15', '15.01.2026'];
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
  readonly #cells: number;

  constructor(random: Random, delimiter: string, escapes: boolean, cells: number) {
    this.#random = random;
    this.#delimiter = delimiter;
    this.#escapes = escapes;
    this.#cells = cells;
  }

  record(): string {
    const random = this.#random;
    const isRare = random.onceIn(6);
    const count = random.onceIn(20) ? random.between(1, this.#cells + 1) : this.#cells;
    const cells = Array.from({ length: count }, () => (isRare ? this.#rareCell() : this.#cell()));
    return cells.join(this.#delimiter) + (random.onceIn(5) ? '\r\n' : '\n');
  }

  #cell(): string {
    const random = this.#random;
    const length = random.onceIn(4) ? random.below(200) : random.below(20);
    switch (random.below(5)) {
      case 0:
        return random.pick(WORDS);
      case 1:
        return random.pick(DATES);
      case 2:
        return `https://www.example.com/${random.text(LETTERS, length)}`;
      case 3:
        return this.#quoted(random.text(`${LETTERS}"\\,;|`, length));
      default:
        return random.text(LETTERS, length);
    }
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
  seed: fc.nat(),
});

test('any thousand records in any dialect', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(anyDialect, async ({ delimiter, members, ignored, hasEscapes, seed }) => {
      const dashes = (i: number) => Array.from({ length: ignored[i]! }, () => '-');
      const columns = [...members.flatMap((member, i) => [...dashes(i), member]), ...dashes(members.length)];
      const byte = String.fromCharCode(DELIMITERS[delimiter]!);
      const writer = new RecordWriter(new Random(seed), byte, hasEscapes, columns.length);
      const first = `${columns.map(() => 'z').join(byte)}\n`;
      const csv = first + Array.from({ length: RECORDS }, () => writer.record()).join('');
      const query = {
        header: 'false',
        delimiter,
        columns: columns.join(','),
        ...(hasEscapes && { escape: 'backslash' }),
      };
      const fast = await batchesOf('csv', csv, 65_536, query);
      // A text for absent values keeps all records from the kernel.
      const slow = await batchesOf('csv', csv, 65_536, { ...query, null: 'never there' });
      const written = fast.map(jsonOf);
      expect(written).toEqual(slow.map(jsonOf));
      taken += fast.reduce((sum, { ends }) => sum + ends.length, 0);
    }),
    { numRuns: PROPERTY_RUNS },
  );
  expect(taken).toBeGreaterThan((PROPERTY_RUNS * RECORDS) / 2);
});

/** A reader overwrites its JSON with the next batch. */
function jsonOf(batch: Batch) {
  const { json, ends } = entriesOf(batch);
  return { json: Buffer.from(json).toString(), ends: Buffer.from(ends.buffer).toString('hex') };
}
