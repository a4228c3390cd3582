import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_FILE_NEWS_ENTRIES,
  MAX_FILE_XML_BYTES,
  MAX_FILES_PER_INDEX,
} from '../../src/core/sitemap/limits.ts';
import { NAMESPACE, URLSET_FOOTER, urlsetHeader } from '../../src/core/sitemap/namespaces.ts';
import { type CutFile, cutFiles } from '../../src/features/sites/cut-files.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { deflatePiece } from '../../src/platform/gzip/gzip-member.ts';
import { collect } from '../support/collect.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const counts = {
  entries: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 1000 })),
  newsEntries: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: MAX_FILE_NEWS_ENTRIES })),
  namespaces: fc.integer({ min: 0, max: 15 }),
};

/** Real fragments: their bytes match their counts. */
const fragment = fc
  .record({ text: fc.string({ unit: 'binary', maxLength: 60 }), ...counts })
  .map(({ text, ...rest }): Fragment => ({ ...deflatePiece(Buffer.from(text)), ...rest }));

/** As large as fragments get, by their counts only: nothing else decides where files are cut. */
const largeFragment = fc
  .record({
    bytes: fc.oneof(fc.constant(1024 * 1024), fc.integer({ min: 0, max: 30 * 1024 * 1024 })),
    ...counts,
  })
  .map((numbers): Fragment => ({ deflated: new Uint8Array(5), crc: 0, ...numbers }));

const entriesPerFile = fc.constantFrom(1000, 10_000, 50_000);

async function cut(fragments: readonly Fragment[], maxEntries: number): Promise<CutFile[]> {
  return collect(cutFiles(asSource(fragments), () => maxEntries));
}

async function* asSource(fragments: Iterable<Fragment>): AsyncGenerator<Fragment> {
  yield* fragments;
}

const sum = (fragments: readonly Fragment[], key: 'entries' | 'newsEntries' | 'bytes') =>
  fragments.reduce((total, each) => total + each[key], 0);
const namespacesOf = (fragments: readonly Fragment[]) =>
  fragments.reduce((mask, each) => mask | each.namespaces, 0);
const xmlBytes = (fragments: readonly Fragment[]) =>
  urlsetHeader(namespacesOf(fragments)).length + sum(fragments, 'bytes') + URLSET_FOOTER.length;
const isWithinLimits = (fragments: readonly Fragment[], maxEntries: number) =>
  sum(fragments, 'entries') <= maxEntries &&
  sum(fragments, 'newsEntries') <= MAX_FILE_NEWS_ENTRIES &&
  xmlBytes(fragments) <= MAX_FILE_XML_BYTES;

describe('any fragments', () => {
  test('are all in the files, whole and in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(largeFragment, { maxLength: 30 }), entriesPerFile, async (fragments, max) => {
        const files = await cut(fragments, max);
        expect(files.flatMap((file) => file.fragments)).toEqual(fragments);
        expect(files.every((file) => file.fragments.length > 0)).toBe(true);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('fill files up to a limit that the next fragment would pass, and never pass one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(largeFragment, { maxLength: 30 }), entriesPerFile, async (fragments, max) => {
        const files = await cut(fragments, max);
        for (const [i, file] of files.entries()) {
          expect(isWithinLimits(file.fragments, max)).toBe(true);
          const next = files[i + 1]?.fragments[0];
          if (next !== undefined) expect(isWithinLimits([...file.fragments, next], max)).toBe(false);
        }
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('make files that gunzip to header, fragments and footer, and that are described exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 12 }), entriesPerFile, async (fragments, max) => {
        for (const file of await cut(fragments, max)) {
          const gzip = Buffer.concat(file.parts);
          const xml = gunzipSync(gzip);
          const header = urlsetHeader(namespacesOf(file.fragments));
          expect(xml.subarray(0, header.length).toString()).toBe(header);
          expect(xml.subarray(-URLSET_FOOTER.length).toString()).toBe(URLSET_FOOTER);
          let at = header.length;
          for (const { bytes, crc } of file.fragments) {
            expect(crc32(xml.subarray(at, at + bytes))).toBe(crc);
            at += bytes;
          }
          expect(at + URLSET_FOOTER.length).toBe(xml.length);
          expect(file.bytes).toBe(xml.length);
          expect(file.gzipBytes).toBe(gzip.length);
          expect(file.entries).toBe(sum(file.fragments, 'entries'));
        }
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });
});

describe('the bytes of a file', () => {
  const sized = (bytes: number, namespaces = 0): Fragment => ({
    deflated: new Uint8Array(1),
    crc: 0,
    bytes,
    entries: 1,
    newsEntries: 0,
    namespaces,
  });
  const room = MAX_FILE_XML_BYTES - urlsetHeader(0).length - URLSET_FOOTER.length;

  test('may be exactly 52,428,800, header and footer included', async () => {
    const [file, ...others] = await cut([sized(room - 10), sized(10)], 50_000);
    expect(file?.bytes).toBe(52_428_800);
    expect(others).toEqual([]);
  });

  test('may not be one more', async () => {
    expect(await cut([sized(room - 10), sized(11)], 50_000)).toHaveLength(2);
  });

  test('include a namespace that only the next fragment needs', async () => {
    expect(await cut([sized(room - 10), sized(10, NAMESPACE.video)], 50_000)).toHaveLength(2);
  });
});

test('a file declares its own namespaces, not those of the file before', async () => {
  const plain = { ...deflatePiece(Buffer.from('')), newsEntries: 0, entries: 1000 };
  const files = await cut(
    [
      { ...plain, namespaces: NAMESPACE.image },
      { ...plain, namespaces: 0 },
    ],
    1000,
  );
  const xmls = files.map((file) => gunzipSync(Buffer.concat(file.parts)).toString());
  expect(xmls[0]).toContain('xmlns:image=');
  expect(xmls[1]).not.toContain('xmlns:image=');
});

test('equal files have equal etags, and different files have different ones', async () => {
  const piece = (text: string): Fragment => ({
    ...deflatePiece(Buffer.from(text)),
    entries: 1000,
    newsEntries: 0,
    namespaces: 0,
  });
  const files = await cut([piece('a'), piece('b'), piece('a')], 1000);
  expect(files[0]!.etag).toBe(files[2]!.etag);
  expect(files[0]!.etag).not.toBe(files[1]!.etag);
});

test('a file leaves as soon as the next fragment does not fit, before more are taken', async () => {
  let taken = 0;
  async function* source() {
    for (;;) {
      taken++;
      yield { ...deflatePiece(Buffer.from('x')), entries: 1000, newsEntries: 0, namespaces: 0 };
    }
  }
  const files = cutFiles(source(), () => 1000);
  await files.next();
  expect(taken).toBe(2);
  await files.return();
});

test('more files than an index may list are refused', async () => {
  const full: Fragment = {
    deflated: new Uint8Array(0),
    crc: 0,
    bytes: 0,
    entries: 1000,
    newsEntries: 0,
    namespaces: 0,
  };
  let files = 0;
  const cutting = async () => {
    const source = asSource(Array.from({ length: MAX_FILES_PER_INDEX + 1 }, () => full));
    for await (const _ of cutFiles(source, () => 1000)) files++;
  };
  await expect(cutting()).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    options: { details: { field: 'urls' } },
  });
  expect(files).toBe(MAX_FILES_PER_INDEX);
});

test('no fragments make no file', async () => {
  expect(await cut([], 1000)).toEqual([]);
});
