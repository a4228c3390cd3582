import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LineBatch, LineScan } from '../../../src/platform/lines/line-scan.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

const LIMITS = { elements: 4, group: 2, bytes: 40, maxBytes: 60, elementBytes: 30 };

interface Line {
  readonly text: string;
  readonly line: number;
}

function scan(text: string, size: number, quotes = false): LineBatch[] {
  const lines = new LineScan(
    LIMITS,
    quotes ? { cells: { delimiter: 0x2c, hasEscapes: false, hasQuotes: true } } : {},
  );
  const bytes = Buffer.from(text);
  const batches: LineBatch[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    batches.push(...lines.advance(Uint8Array.from(bytes.subarray(at, at + size))));
  }
  batches.push(...lines.finish());
  lines.close();
  return batches;
}

/** White space is that of JSON. Other blanks, such as U+3000, are text. */
const trimmed = (text: string) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** The records of batches, trimmed, and their lines as the batches tell them. */
function recordsIn(batches: readonly LineBatch[]): Line[] {
  return batches.flatMap(({ bytes, ends, firstLine }) => {
    const text = Buffer.from(bytes);
    return Array.from(ends, (end, i) => {
      const before = text.subarray(0, end).toString();
      const record = text.subarray(i === 0 ? 0 : ends[i - 1]! + 1, end).toString();
      const blank = /^[ \t\r\n]*/.exec(record)![0].length;
      return {
        text: trimmed(record),
        line: firstLine + before.slice(0, before.length - record.length + blank).split('\n').length - 1,
      };
    });
  });
}

/** As simple as possible. */
function expectedRecords(text: string, quotes: boolean): Line[] {
  const records: Line[] = [];
  let record = '';
  let line = 1;
  let begunAt = 1;
  let isQuoted = false;
  let mayOpen = true;
  for (const character of `${text}\n`) {
    // Outside of quotes, a quote counts only where a cell begins, or right behind a closing quote.
    const isClosing = isQuoted && character === '"';
    if (quotes && character === '"' && (isQuoted || mayOpen)) isQuoted = !isQuoted;
    mayOpen = isClosing || character === ',' || character === '\n';
    if (character === '\n' && !isQuoted) {
      if (trimmed(record) !== '') records.push({ text: trimmed(record), line: begunAt });
      record = '';
      begunAt = line + 1;
    } else record += character;
    if (character === '\n') line++;
  }
  if (trimmed(record) !== '') records.push({ text: trimmed(record), line: begunAt });
  return records;
}

const piece = fc.oneof(
  fc.constantFrom('\n', '\n', '\r\n', ' ', '\t', '\n\n', '""', '"a\n\nb"', '"', ','),
  fc.string({ maxLength: 9, unit: 'grapheme' }),
);
const anyText = fc
  .array(piece, { maxLength: 60 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.split('\n').every((line) => Buffer.byteLength(line) <= LIMITS.elementBytes));

test('any text is cut into its lines that are not blank, with their numbers, in chunks of any size', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, size) => {
      expect(recordsIn(scan(text, size))).toEqual(expectedRecords(text, false));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('line breaks in quotes belong to their record', () => {
  const quoted = anyText.filter((text) => {
    const records = expectedRecords(text, true);
    // A line break at the end of an open quote is cut off by the comparison's trim.
    return records.every((record) => Buffer.byteLength(record.text) <= 20) && !text.includes('"\n');
  });
  fc.assert(
    fc.property(quoted, fc.integer({ min: 1, max: 200 }), (text, size) => {
      let batches: LineBatch[];
      try {
        batches = scan(text, size, true);
      } catch (error) {
        // White space around a record counts too.
        expect(error).toBeInstanceOf(Refusal);
        return;
      }
      expect(recordsIn(batches)).toEqual(expectedRecords(text, true));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('batches depend on the text alone', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, size) => {
      expect(scan(text, size)).toEqual(scan(text, text.length * 4 + 1));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a batch ends at a multiple of records, or of a group when it is long, or when it is too long', () => {
  const length = fc.integer({ min: 1, max: LIMITS.elementBytes });
  const lines = fc.array(
    length.map((bytes) => 'x'.repeat(bytes)),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 200 }), (texts, size) => {
      let next = 0;
      for (const { bytes, ends, firstIndex } of scan(texts.join('\n'), size)) {
        expect(firstIndex).toBe(next);
        next += ends.length;
        expect(Math.floor((next - 1) / LIMITS.elements)).toBe(Math.floor(firstIndex / LIMITS.elements));
        expect(ends.at(-2) ?? 0).toBeLessThan(LIMITS.maxBytes);
        const isLong = bytes.length >= LIMITS.bytes && next % LIMITS.group === 0;
        const isFull = next % LIMITS.elements === 0 || isLong || bytes.length >= LIMITS.maxBytes;
        expect(isFull || next === texts.length).toBe(true);
      }
      expect(next).toBe(texts.length);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

describe('a record that is too long', () => {
  const longest = 'x'.repeat(LIMITS.elementBytes);

  test.each([1, 7, 64, 1000])('is refused with its line, and the longest is not, in chunks of %i', (size) => {
    expect(recordsIn(scan(`a\n\n${longest}\nb`, size)).map(({ text }) => text)).toEqual(['a', longest, 'b']);
    expect(refusalOf(() => scan(`a\n\n${longest}x\nb`, size))).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'line 3: must be at most 30 bytes long',
      options: { details: { field: 'line', line: 3, index: 1, value: null } },
    });
  });

  test('is refused before its end', () => {
    const lines = new LineScan(LIMITS);
    expect([...lines.advance(Buffer.from(longest))]).toEqual([]);
    expect(() => [...lines.advance(Buffer.from('x'))]).toThrow(Refusal);
  });

  test('comes after the records before it', () => {
    const lines = new LineScan(LIMITS);
    const batches: LineBatch[] = [];
    const refusal = refusalOf(() => {
      for (const batch of lines.advance(Buffer.from(`a\nb\nc\n${longest}x`))) batches.push(batch);
    });
    expect(refusal).toBeInstanceOf(Refusal);
    expect(recordsIn(batches).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });
});

test.each(['', '\n', ' \r\n\t\n', '\n'.repeat(5_000)])('a blank text has no batch', (text) => {
  expect(scan(text, 64)).toEqual([]);
});

test('blank lines of megabytes between two records cost no memory', () => {
  const lines = new LineScan(LIMITS);
  const blank = Buffer.from('\n'.repeat(100_000));
  const batches = [...lines.advance(Buffer.from('a\n'))];
  for (let i = 0; i < 100; i++) batches.push(...lines.advance(blank));
  batches.push(...lines.advance(Buffer.from('b')), ...lines.finish());
  expect(recordsIn(batches)).toEqual([
    { text: 'a', line: 1 },
    { text: 'b', line: 10_000_002 },
  ]);
});

function refusalOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
