import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutPortions } from '../../../client/src/delta/cut-portions.ts';
import { collect } from '../../support/collect.ts';
import { inChunks } from '../support/input-of.ts';

const line = fc.oneof(fc.constantFrom('', ' ', '\r', '\t '), fc.string({ minLength: 1, maxLength: 12 }));
const text = fc
  .tuple(fc.array(line), fc.constantFrom('', '\n'))
  .map(([lines, end]) => lines.map((one) => one.replaceAll('\n', 'ü')).join('\n') + end);

/** Returns whether the line is an operation, by its first byte: neither a control nor a blank. */
const isOperation = (one: string) => [...Buffer.from(one)].some((byte) => byte > 0x20);

test('portions are whole lines, in order, within the limits, and as few as possible', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 60, max: 120 }),
      async (whole, chunkBytes, operations, bytes) => {
        const source = Buffer.from(whole);
        const portions = await collect(cutPortions(inChunks(source, chunkBytes), { operations, bytes }));
        let lines = 0;
        let count = 0;
        const sent: string[] = [];
        for (const [i, portion] of portions.entries()) {
          const body = Buffer.concat(portion.parts).toString();
          const own = body.split('\n');
          if (own.at(-1) === '') own.pop();
          else expect(i).toBe(portions.length - 1);
          expect(portion.bytes).toBe(Buffer.byteLength(body));
          expect(portion.bytes).toBeLessThanOrEqual(bytes);
          expect(portion.operations).toBe(own.filter(isOperation).length);
          expect(portion.operations).toBeGreaterThan(0);
          expect(portion.operations).toBeLessThanOrEqual(operations);
          // Portions of blanks alone are left out, but their lines count.
          expect(portion.linesBefore).toBeGreaterThanOrEqual(lines);
          const all = whole.split('\n');
          expect(all.slice(portion.linesBefore, portion.linesBefore + own.length)).toEqual(own);
          expect(portion.operationsBefore).toBe(count);
          const next = all[portion.linesBefore + own.length];
          if (next !== undefined && i < portions.length - 1)
            expect(
              portion.operations === operations || portion.bytes + Buffer.byteLength(`${next}\n`) > bytes,
            ).toBe(true);
          lines = portion.linesBefore + own.length;
          count += portion.operations;
          sent.push(...own);
        }
        expect(sent.filter(isOperation)).toEqual(whole.split('\n').filter(isOperation));
      },
    ),
  );
});

test('a line without an end is no memory without an end', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1000, 'x');
  }
  await expect(collect(cutPortions(endless(), { operations: 10, bytes: 50_000 }))).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: 'A line has more than 50,000 bytes.',
  });
});
