/** zlib judges what the kernel deflates: it must inflate to the same text, and be nearly as small as zlib's own. */
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryTranscoder } from '../../src/core/sitemap/entry-transcoder.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { generatedEntry } from '../../tools/generated-upload.ts';
import { richEntry } from '../../tools/rich-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const transcoder = new EntryTranscoder();

function deflate(text: string) {
  transcoder.load(new Uint8Array(0), new Uint32Array(0));
  transcoder.append(text);
  return transcoder.take();
}

function expectInflates(text: string): void {
  const { deflated, bytes, crc } = deflate(text);
  // The output ends with an empty stored block, so that more deflate may follow.
  expect([...deflated.subarray(-4)]).toEqual([0, 0, 0xff, 0xff]);
  const inflated = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
  expect(inflated.equals(Buffer.from(text))).toBe(true);
  expect(bytes).toBe(inflated.length);
  expect(crc).toBe(crc32(inflated));
}

/** Numbers that look random, from a seed. */
function* randomNumbers(seed: number): Generator<number, never, undefined> {
  let state = seed | 1;
  while (true) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

/** `length` characters of `alphabet`. The higher `skew`, the more often its first characters. */
function randomText(seed: number, length: number, alphabet: string, skew: number): string {
  const numbers = randomNumbers(seed);
  const characters = Array.from(alphabet);
  let text = '';
  for (let i = 0; i < length; i++) {
    const place = (numbers.next().value % 65_536) / 65_536;
    text += characters[Math.floor(characters.length * place ** skew)];
  }
  return text;
}

test('the result does not depend on earlier texts', () => {
  const text = randomText(7, 5000, '<loc>é煎😀&;/', 3);
  const alone = new EntryTranscoder();
  alone.load(new Uint8Array(0), new Uint32Array(0));
  alone.append(text);
  const expected = alone.take().deflated;
  for (let seed = 0; seed < 50; seed++) {
    // The text has the same alphabet, so the same four bytes stand at many of the same places.
    deflate(randomText(seed, 5000, '<loc>é煎😀&;/', 3));
    expect(Buffer.from(deflate(text).deflated).equals(expected)).toBe(true);
  }
});

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .record({
      seed: fc.nat(),
      length: fc.nat(3000),
      alphabet: fc.constantFrom('a', 'ab', '0123456789', '<loc>é煎😀&;/'),
      skew: fc.integer({ min: 1, max: 30 }),
    })
    .map(({ seed, length, alphabet, skew }) => randomText(seed, length, alphabet, skew)),
);
/** Parts that come again, near and far. */
const repetitive = fc
  .record({
    parts: fc.array(part, { minLength: 1, maxLength: 6 }),
    order: fc.array(fc.nat(5), { maxLength: 60 }),
  })
  .map(({ parts, order }) => order.map((i) => parts[i % parts.length]).join(''));

test('any text', () => {
  fc.assert(fc.property(repetitive, expectInflates), { numRuns: PROPERTY_RUNS });
});

const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

test.each([
  ['nothing', ''],
  ['one character', 'a'],
  ['one character many times', 'a'.repeat(100_000)],
  ['two of them', 'ab'],
  ['as many matches as a block has room for, and more', '0123abcd'.repeat(1_200_000)],
  ['more literals than a block has room for', randomText(7, 200_000, ASCII, 1)],
  ['every byte that UTF-8 has', Array.from({ length: 0x800 }, (_, i) => String.fromCodePoint(i)).join('')],
  ['frequencies that want codes of more than 15 bits', randomText(3, 400_000, ASCII, 40)],
  // Between them is one long match, so the table of places still has the first one.
  ['a match at the greatest distance', `first${'a'.repeat(32_763)}first`],
  ['one a byte too far', `first${'a'.repeat(32_764)}first`],
  ['matches of every length', Array.from({ length: 600 }, (_, i) => 'x'.repeat(i)).join('y')],
])('%s', (_, text) => expectInflates(text));

test.each([
  ['plain', generatedEntry],
  ['rich', richEntry],
])('%s entries take at most a ninth more than with zlib at level 1', (_, entryAt) => {
  const xml = Array.from({ length: 1000 }, (_, i) => {
    const parsed = parseEntry(JSON.parse(JSON.stringify(entryAt(i))), i);
    if ('violations' in parsed) throw new Error(JSON.stringify(parsed));
    return renderEntry(parsed.entry);
  }).join('');
  const byZlib = deflateRawSync(xml, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }).length;
  expect(deflate(xml).deflated.length).toBeLessThanOrEqual(byZlib / 0.9);
});
