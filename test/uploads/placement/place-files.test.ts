import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_FILE_XML_BYTES } from '../../../src/core/sitemap/limits.ts';
import { readFileHashes } from '../../../src/features/sites/file-hashes.ts';
import { casesOf } from '../../support/property-runs.ts';
import { entriesIn, entryOf, filesOf, type MadeFile, newsEntry, place } from './placed-lists.ts';

const all = (files: readonly MadeFile[]) => files.flatMap(entriesIn);
const sorted = (texts: readonly string[]) => [...texts].sort();

const locs = Array.from({ length: 60 }, (_, i) => `page/${i}`);
const entry = fc
  .record({
    loc: fc.constantFrom(...locs),
    lastmod: fc.constantFrom('2026-01-01', '2026-02-02'),
    news: fc.boolean(),
  })
  .map(({ loc, lastmod, news }) => (news ? newsEntry(loc) : entryOf(loc, lastmod)));

test('any sequence of lists leaves exactly the entries of the last one, within the limits', async () => {
  const lists = fc.array(fc.array(entry, { minLength: 1, maxLength: 40 }), { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      lists,
      fc.constantFrom(3, 7, 20),
      fc.constantFrom(1, 2, 5),
      async (lists, perFile, perFragment) => {
        let files: readonly MadeFile[] = await filesOf(lists[0]!, perFile, Math.min(perFile, perFragment));
        for (const list of lists.slice(1)) {
          const placed = await place(files, list, perFile, {
            perFragment: Math.min(perFile, perFragment),
            mostFiles: 1.1,
          });
          files = placed.files;
          expect(sorted(all(files))).toEqual(sorted(list));
          for (const file of files) expect(file.entries).toBeLessThanOrEqual(perFile);
        }
      },
    ),
    { numRuns: casesOf(40) },
  );
});

const big = (count: number) => Array.from({ length: count }, (_, i) => entryOf(`p/${i}`));

test('only files with a change are written again, and the others are the same objects', async () => {
  const list = big(45_000);
  const former = await filesOf(list, 10_000);
  const next = list.toReversed();
  next[next.indexOf(entryOf('p/12345'))] = entryOf('p/12345', '2026-12-01');
  next.splice(next.indexOf(entryOf('p/777')), 1);
  next.unshift(entryOf('new/1'), newsEntry('new/2'));
  const { files, kept } = await place(former, next, 10_000);
  expect(sorted(all(files))).toEqual(sorted(next));
  // Files 1, 2 and 5 have the removed, the changed and the new entries.
  expect(kept).toBe(2);
  expect([files[2], files[3]]).toEqual([former[2], former[3]]);
  expect(files).toHaveLength(5);
  // Entries that stay keep their order.
  const [second] = files.slice(1);
  expect(entriesIn(second!).slice(0, 100)).toEqual(list.slice(10_000, 10_100));
  expect(second!.hashes).toBeDefined();
  const fresh = await filesOf(entriesIn(second!), 10_000);
  const hashesIn = ({ hashes, entries }: MadeFile) => readFileHashes(hashes!, entries)!.hashes;
  expect(Buffer.compare(hashesIn(second!), hashesIn(fresh[0]!))).toBe(0);
});

test('heavy new entries go into several files, none of which is too large', async () => {
  const list = big(5000);
  const image = '<image:image><image:loc>https://www.example.com/i/1</image:loc></image:image>';
  const heavy = Array.from(
    { length: 800 },
    (_, i) => `<url><loc>https://www.example.com/h/${i}</loc>${image.repeat(950)}</url>\n`,
  );
  const { end, files } = await place(await filesOf(list, 1000), [...list, ...heavy], 1000, {
    perFragment: 100,
  });
  expect(end).toMatchObject({ kind: 'placed' });
  expect(files.reduce((sum, { entries }) => sum + entries, 0)).toBe(5800);
  expect(files.length).toBeGreaterThan(6);
  for (const { bytes } of files) expect(bytes).toBeLessThanOrEqual(MAX_FILE_XML_BYTES);
});

test('another order of the same list changes no file', async () => {
  const list = big(25_000);
  const former = await filesOf(list, 10_000);
  const { end, kept } = await place(former, list.toReversed(), 10_000);
  expect(end).toMatchObject({ kind: 'placed' });
  expect(kept).toBe(3);
});

test('an emptied file gets a further file, or else the last one', async () => {
  const list = big(30_000);
  const former = await filesOf(list, 1000);
  const without = [...list.slice(0, 3000), ...list.slice(5000)];
  const fewer = await place(former, without, 1000);
  expect(sorted(all(fewer.files))).toEqual(sorted(without));
  expect(fewer.files).toHaveLength(28);
  expect([fewer.files[3], fewer.files[4]]).toEqual([former[29], former[28]]);
  const more = [...without, ...Array.from({ length: 1500 }, (_, i) => entryOf(`q/${i}`))];
  const other = await place(former, more, 1000);
  expect(sorted(all(other.files))).toEqual(sorted(more));
  expect(other.files.slice(5)).toEqual(former.slice(5));
});

test.each([
  ['missing', (_: Uint8Array) => undefined],
  ['of other entries', (_: Uint8Array, other: Uint8Array) => other],
  ['damaged', (hashes: Uint8Array) => Buffer.from(hashes).fill(7, 100, 104)],
])('hashes that are %s lose no entry', async (what, change) => {
  const list = big(30_000);
  const former = await filesOf(list, 10_000);
  const broken = former.map((file, i) =>
    i === 1 ? { ...file, hashes: change(file.hashes!, former[0]!.hashes!) } : file,
  );
  const next = [...list.slice(0, 15_000), entryOf('new/1'), ...list.slice(15_001)];
  const { end, files } = await place(broken, next, 10_000);
  expect(sorted(all(files))).toEqual(sorted(next));
  expect(end.kind).toBe(what === 'of other entries' ? 'order' : 'placed');
});

test('a damaged file is never published again', async () => {
  const list = big(3000);
  const former = await filesOf(list, 1000);
  const content = Buffer.from(former[1]!.content).fill(0, 200, 300);
  const broken = former.with(1, { ...former[1]!, content });
  const { end } = await place(broken, list.toSpliced(1500, 1), 1000);
  expect(end).toEqual({ kind: 'order', reason: 'unreadable' });
});

test.each([
  ['damaged', (content: Buffer) => content.fill(0, content.length - 3000, content.length - 2900)],
  ['cut off', (content: Buffer) => content.subarray(0, content.length / 2)],
])('a file that is %s beside its changed fragment is never published again', async (_, change) => {
  const list = big(30_000);
  const former = await filesOf(list, 10_000);
  const broken = former.with(1, { ...former[1]!, content: change(Buffer.from(former[1]!.content)) });
  const { end } = await place(broken, list.toSpliced(10_500, 1), 10_000);
  expect(end).toEqual({ kind: 'order', reason: 'unreadable' });
});

test('many changes, and one URL with countless lastmods, go in order', async () => {
  const list = big(5000);
  const former = await filesOf(list, 1000);
  const other = list.map((text, i) => (i % 4 === 0 ? text.replace('2026-11-26', '2026-12-01') : text));
  expect((await place(former, other, 1000)).end).toEqual({ kind: 'order', reason: 'many-changes' });
  const equal = (year: number) => Array.from({ length: 20_000 }, (_, i) => entryOf('same', `${year}-${i}`));
  const equals = await filesOf(equal(2025), 10_000);
  expect((await place(equals, equal(2026), 10_000)).end).toEqual({ kind: 'order', reason: 'many-changes' });
});

test('a list whose entries have all changed in their place is not read to its end', async () => {
  const list = big(60_000);
  const former = await filesOf(list, 10_000);
  const changed = list.map((text) => text.replace('2026-11-26', '2026-12-01'));
  const { end, reads } = await place(former, changed, 10_000);
  expect(end).toEqual({ kind: 'order', reason: 'many-changes' });
  // The first four files of each side say enough.
  expect(reads).toBe(8);
});

test('a list that begins with changed entries, and changes little otherwise, is placed', async () => {
  const list = big(120_000);
  const former = await filesOf(list, 10_000);
  const next = list.map((text, i) => (i < 20_000 ? text.replace('2026-11-26', '2026-12-01') : text));
  const { end, kept } = await place(former, next, 10_000);
  expect(end).toMatchObject({ kind: 'placed' });
  expect(kept).toBe(10);
});

test('a list with the rows of each URL in another order is placed', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => [entryOf(`p/${i}`), entryOf(`p/${i}`, '2026-12-01')]);
  const former = await filesOf(rows.flat(), 10_000);
  const next = [...rows.flatMap((ofUrl) => ofUrl.toReversed()), entryOf('new')];
  const { end, files, kept } = await place(former, next, 10_000);
  expect(end).toMatchObject({ kind: 'placed' });
  expect(kept).toBe(4);
  expect(sorted(all(files))).toEqual(sorted(next));
});
