import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/core/sitemap/entry.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { DamagedFile, EntryKernel } from '../../src/features/entries/entry-kernel.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { fullEntry } from '../sitemap/full-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import {
  compareInMemory,
  fileOf,
  filesOf,
  type MemoryFile,
  naiveChanges,
  naivePack,
} from './compared-files.ts';

const SOME = { numRuns: PROPERTY_RUNS };

async function expectNaive(former: readonly MemoryFile[], live: readonly MemoryFile[], options = {}) {
  const { end, changes, lines, packed } = await compareInMemory(former, live, options);
  expect(packed).toEqual(naivePack(former, live));
  const expected = naiveChanges(former, live);
  expect(changes).toEqual(expected);
  expect(lines).toEqual(expected);
  const counts = {
    added: expected.added.length,
    changed: expected.changed.length,
    removed: expected.removed.length,
  };
  expect(end).toMatchObject({ kind: 'compared', counts });
}

/** Few different locs, so that both uploads have many of them, and several times. */
const fewEntries = fc.array(
  fc.record({
    loc: fc.integer({ min: 0, max: 40 }).map((i) => `https://www${i % 3}.example.com/p?a=1&b='${i}`),
    priority: fc.constantFrom(0, 0.5, 1),
  }),
  { maxLength: 60 },
) as fc.Arbitrary<Entry[]>;
const perFile = fc.integer({ min: 1, max: 20 });

describe('the comparison finds what a naive map finds:', () => {
  test('random orders, duplicates, empty sides, any files', async () => {
    await fc.assert(
      fc.asyncProperty(fewEntries, fewEntries, perFile, perFile, async (former, live, a, b) => {
        await expectNaive(filesOf(former, a), filesOf(live, b));
      }),
      SOME,
    );
  });

  test('tables so small that there are many slices', async () => {
    const many = (from: number, to: number, step: number) =>
      Array.from({ length: to - from }, (_, i) => ({
        loc: `https://example.com/${from + i}`,
        ...((from + i) % step === 0 && { priority: 0.1 }),
      })) as Entry[];
    const [former, live] = [filesOf(many(0, 3000, 7), 500), filesOf(many(500, 3500, 11).reverse(), 700)];
    await expectNaive(former, live, { maxSlots: 128 });
    await expectNaive(former, live, { maxSlots: 1000 });
    await expectNaive(former, live);
  });

  test('any valid entries', async () => {
    const entries = fc.array(anyEntry as fc.Arbitrary<Entry>, { maxLength: 6 });
    const shuffled = entries.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all), fc.shuffledSubarray(all), entries),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, perFile, async ([, former, kept, more], a) => {
        await expectNaive(filesOf(former, a), filesOf([...kept, ...more], a));
      }),
      SOME,
    );
  });
});

/** Each place in the entry where a text, a number or a switch stands, as a path. */
function placesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]));
}

describe('a change in one place of an entry counts:', () => {
  const places = placesOf(fullEntry()).filter((path) => path.join() !== 'loc');
  test.for(places.map((path) => [path.join('.'), path] as const))('%s', async ([, path]) => {
    const [before, after] = [fullEntry(), fullEntry()];
    let holder: Record<string | number, unknown> = after as never;
    for (const name of path.slice(0, -1)) holder = holder[name] as typeof holder;
    const last = path.at(-1)!;
    const value = holder[last];
    holder[last] = typeof value === 'boolean' ? !value : typeof value === 'number' ? value / 2 : `${value}x`;
    const [other] = [{ loc: 'https://example.com/other' }] as Entry[];
    const former = [fileOf([other!, before as unknown as Entry])];
    const live = [fileOf([after as unknown as Entry, other!])];
    const { changes } = await compareInMemory(former, live);
    expect(changes).toEqual({ added: [], changed: [(before as { loc: string }).loc], removed: [] });
  });
});

test('pieces of one byte are the same as whole files', () => {
  const former = fileOf([{ loc: 'https://example.com/a' }, { loc: 'https://example.com/gone' }] as Entry[]);
  const raw = fullEntry();
  const parsed = parseEntry(raw, 0);
  if (!('entry' in parsed)) throw new Error('not valid');
  const live = fileOf([parsed.entry, { loc: 'https://example.com/a', priority: 1 } as Entry]);
  const bytewise = ({ xml, entries }: MemoryFile) => ({
    pieces: Array.from(xml, (_, i) => xml.subarray(i, i + 1)),
    entries: entries.length,
  });
  const kernel = new EntryKernel(100);
  kernel.begin({ from: 0, length: 2 ** 32 }, 5n, true);
  kernel.insert(bytewise(former), 1);
  expect([...kernel.match(bytewise(live))]).toEqual([
    { kind: 'added', loc: parsed.entry.loc },
    { kind: 'changed', loc: 'https://example.com/a' },
  ]);
  expect(kernel.filesWithRemoved()[1]).toBe(1);
  expect([...kernel.unseen(bytewise(former))]).toEqual([
    { kind: 'removed', loc: 'https://example.com/gone' },
  ]);
});

test('an entry longer than the memory for text makes it grow', async () => {
  const images = Array.from({ length: 900 }, (_, i) => ({
    loc: `https://example.com/${i}.png`,
    caption: `${'é'.repeat(2000)}${i}`,
  }));
  const long = { loc: 'https://example.com/long', images } as Entry;
  const longer = { ...long, images: images.slice(1) } as Entry;
  await expectNaive([fileOf([long])], [fileOf([{ loc: 'https://example.com/1' } as Entry, longer])]);
});

test('more URLs than there is room for are noticed', async () => {
  const entries = (from: number) =>
    Array.from({ length: 3000 }, (_, i) => ({ loc: `https://example.com/${from + i}` })) as Entry[];
  const { end } = await compareInMemory(filesOf(entries(0), 1000), filesOf(entries(9000), 1000), {
    room: 3100,
  });
  expect(end).toEqual({ kind: 'full' });
});

test.each([0, 100, 1700])('%d URLs of a kind are told, and all are listed', async (mostTold) => {
  const many = (priority: number) =>
    Array.from({ length: 2500 }, (_, i) => ({ loc: `https://example.com/${i}`, priority })) as Entry[];
  const [former, live] = [filesOf(many(0.1), 500), filesOf(many(0.2), 500)];
  const { changes, lines } = await compareInMemory(former, live, { mostTold });
  const { changed } = naiveChanges(former, live);
  expect(changes.changed).toEqual(changed.filter((loc) => changes.changed.includes(loc)));
  expect(changes.changed).toHaveLength(mostTold);
  expect(lines.changed).toEqual(changed);
});

test('URLs are counted by the origin of their page, spellings together', async () => {
  const urls = ['https://A.example', 'https://a.example:443', 'http://a.example', 'https://b.example:8443'];
  const entries = urls.flatMap((origin) => [
    { loc: `${origin}/x` },
    { loc: `${origin}?y` },
    { loc: `${origin}#z&'` },
  ]);
  const counted = filesOf(entries as Entry[], 5);
  const { end } = await compareInMemory([], [], { counted });
  expect(end).toMatchObject({
    origins: { counted: { 'https://a.example': 6, 'http://a.example': 3, 'https://b.example:8443': 3 } },
  });
  const { end: both } = await compareInMemory(filesOf(entries.slice(0, 3) as Entry[], 9), counted);
  expect(both).toMatchObject({
    origins: { former: { 'https://a.example': 3 }, live: { 'https://a.example': 6, 'http://a.example': 3 } },
  });
});

describe('a file that we did not write is damaged:', () => {
  const good = fileOf([
    { loc: 'https://example.com/a', priority: 1 },
    { loc: 'https://example.com/b' },
  ] as Entry[]).xml;
  const kernelReads = (xml: Uint8Array, entries = 2) => {
    const kernel = new EntryKernel(100);
    kernel.begin({ from: 0, length: 2 ** 32 }, 5n, true);
    kernel.count({ pieces: [xml], entries });
  };
  test('the same, whole, is not', () => kernelReads(good));
  test.each<[string, string]>([
    ['empty', ''],
    ['only a header', good.toString().split('<url>')[0]!],
    ['without a footer', good.toString().replace('</urlset>\n', '')],
    ['something behind the footer', `${good}\n`],
    ['a second document behind the first', good.toString().repeat(2)],
    ['blanks between entries', good.toString().replaceAll('<url>', ' <url>')],
    ['an entry without loc', good.toString().replace('<loc>https://example.com/b</loc>', '')],
    ['no end of loc', good.toString().replace('</loc>', '</lox>')],
    ['zeros', '\0'.repeat(100_000)],
    ['a long text without tags', `<url><loc>${'x'.repeat(3_000_000)}`],
  ])('%s', (_, text) => {
    expect(() => kernelReads(Buffer.from(text))).toThrow(DamagedFile);
  });
  test('another number of entries', () => expect(() => kernelReads(good, 3)).toThrow(DamagedFile));
  test('cut anywhere', () => {
    for (let length = 0; length < good.length; length++) {
      expect(() => kernelReads(good.subarray(0, length)), String(length)).toThrow(DamagedFile);
    }
  });
  test('any flipped byte is read without a crash', () => {
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const xml = Buffer.from(good);
        xml[at]! ^= flip;
        try {
          kernelReads(xml);
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedFile);
        }
      }),
      SOME,
    );
  });
});
