import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ElementBatch, ElementScan } from '../../../src/platform/json/element-scan.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

const LIMITS = { elements: 4, group: 2, bytes: 40, maxBytes: 60, elementBytes: 30 };

/** Scans the text after the opening bracket, in chunks of `size` bytes. */
function scan(text: string, size: number): { batches: ElementBatch[]; end: number } {
  const batches: ElementBatch[] = [];
  const elements = new ElementScan('urls', LIMITS, (batch) => batches.push(batch));
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length && !elements.isDone) {
    const chunk = bytes.subarray(at, at + size);
    at += elements.advance(chunk, 0);
  }
  expect(elements.isDone).toBe(true);
  return { batches, end: at };
}

/** The elements of a batch as text. */
function cut(batch: ElementBatch): string[] {
  const text = Buffer.from(batch.bytes);
  return Array.from(batch.ends, (end, i) =>
    text.subarray(i === 0 ? 0 : batch.ends[i - 1]! + 1, end).toString(),
  );
}

const element = fc.json({ maxDepth: 3, stringUnit: 'binary' }).filter((text) => Buffer.byteLength(text) < 26);
const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

describe('any array', () => {
  test('is cut into its elements, and the scan stops after its bracket', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(space, element, space), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 50 }),
        (elements, size) => {
          const array = `${elements.map((parts) => parts.join('')).join(',')}]`;
          const { batches, end } = scan(`${array},"next":1`, size);
          const found = batches.flatMap(cut).map((text) => JSON.parse(text));
          expect(found).toEqual(elements.map(([, text]) => JSON.parse(text)));
          expect(end).toBe(Buffer.byteLength(array));
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('comes in batches that end at a multiple of elements, or of a group when they are long, or when they are too long', () => {
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 12 }), (elements) => {
        const { batches } = scan(`${elements.join(',')}]`, 7);
        let next = 0;
        for (const batch of batches) {
          expect(batch.firstIndex).toBe(next);
          next += batch.ends.length;
          const crossed =
            Math.floor((next - 1) / LIMITS.elements) - Math.floor(batch.firstIndex / LIMITS.elements);
          expect(crossed).toBe(0);
          const beforeLast = batch.ends.at(-2) ?? 0;
          expect(beforeLast).toBeLessThan(LIMITS.maxBytes);
          if ((next - 1) % LIMITS.group === 0) expect(beforeLast).toBeLessThan(LIMITS.bytes);
          const isLong = batch.bytes.length >= LIMITS.bytes && next % LIMITS.group === 0;
          const isFull = next % LIMITS.elements === 0 || isLong || batch.bytes.length >= LIMITS.maxBytes;
          expect(isFull || next === elements.length).toBe(true);
        }
        expect(next).toBe(elements.length);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });
});

test.each(['', '1,', '{"a":1},"b",'])(
  'after %j an element of exactly the limit is accepted, and a longer one is not',
  (before) => {
    const index = before.split(',').length - 1;
    for (const size of [1, 3, 1000]) {
      const longest = `"${'x'.repeat(LIMITS.elementBytes - 2)}"`;
      expect(scan(`${before}${longest}]`, size).batches.flatMap(cut).at(-1)).toBe(longest);
      expect(() => scan(`${before}"${longest}]`, size)).toThrow(Refusal);
      const refusal = {
        code: 'VALIDATION_ERROR',
        options: { details: { field: `urls[${index}]`, value: null } },
      };
      expect(refusalOf(() => scan(`${before}${longest.replace('x', 'xx')}]`, size))).toMatchObject(refusal);
    }
  },
);

function refusalOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('an endless element is refused when it becomes too long, before its end', () => {
  const elements = new ElementScan('urls', LIMITS, () => {});
  elements.advance(Buffer.from(`"${'x'.repeat(LIMITS.elementBytes - 1)}`), 0);
  expect(() => elements.advance(Buffer.from('x'), 0)).toThrow(Refusal);
});

test('an empty array has no batch', () => {
  expect(scan(' \n ]', 1).batches).toEqual([]);
});

test('a batch holds its own bytes only, not the chunks they came in', () => {
  const { batches } = scan('  1, 2]                      ', 1000);
  expect(batches.map((batch) => batch.bytes.buffer.byteLength)).toEqual([4]);
});
