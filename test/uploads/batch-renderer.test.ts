import { constants, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryTranscoder } from '../../src/core/sitemap/entry-transcoder.ts';
import { MAX_FILE_XML_BYTES } from '../../src/core/sitemap/limits.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { namespacesOf, renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { cutFiles } from '../../src/features/sites/cut-files.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchOf, batchOfTexts, plainEntries } from './batches.ts';

const renderer = new BatchRenderer();

const GOOD = JSON.stringify({ loc: 'https://example.com/' });
const BAD = JSON.stringify({ loc: 'ftp://example.com/', priority: 2 });
const NO_JSON = '{"loc":}';

test('a long baseUrl makes many files of one batch, none of which is too large', async () => {
  const baseUrl = `https://a.example/${'d/'.repeat(247)}`;
  const images = Array(1000).fill({ loc: 'a' });
  const batch = batchOf(Array.from({ length: 170 }, (_, i) => ({ loc: `p${i}`, images })));
  const result = renderer.render({ ...batch, reading: { dates: 'iso', baseUrl } });
  if (result.kind !== 'fragments') throw new Error(JSON.stringify(result).slice(0, 300));
  const files = [];
  for await (const file of cutFiles(result.fragments, () => 50_000)) files.push(file);
  expect(files.map(({ entries }) => entries).reduce((a, b) => a + b)).toBe(170);
  expect(files.length).toBeGreaterThan(1);
  for (const { bytes } of files) expect(bytes).toBeLessThanOrEqual(MAX_FILE_XML_BYTES);
});

test('any valid entries make a fragment of their XML, counted', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 5 }), (values) => {
      const result = renderer.render(batchOf(values));
      if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
      const entries = values.map((value) => {
        const parsed = parseEntry(value, 0);
        if ('violations' in parsed) throw new Error(JSON.stringify(parsed));
        return parsed.entry;
      });
      const xml = entries.map(renderEntry).join('');
      const [fragment] = result.fragments;
      const { deflated, bytes } = fragment!;
      const inflated = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
      expect(inflated.toString()).toBe(xml);
      expect(bytes).toBe(Buffer.byteLength(xml));
      expect(fragment).toMatchObject({
        entries: values.length,
        newsEntries: values.filter((value) => value.news !== undefined).length,
        namespaces: entries.reduce((mask, entry) => mask | namespacesOf(entry), 0),
      });
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a fragment ends at each multiple of 1,000 entries of the upload', () => {
  const result = renderer.render(batchOf(plainEntries(2500), 4500));
  if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
  expect(result.fragments.map(({ entries }) => entries)).toEqual([500, 1000, 1000]);
  const xml = result.fragments.map(({ deflated }) =>
    inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString(),
  );
  const locs = [...xml.join('').matchAll(/<loc>([^<]*)</g)].map(([, loc]) => loc);
  expect(locs).toEqual(plainEntries(2500).map(({ loc }) => loc));
});

describe('an element that is not JSON', () => {
  test('is located', () => {
    const batch = batchOfTexts([GOOD, ` ${GOOD}\n`, NO_JSON, GOOD, NO_JSON], 2000);
    expect(renderer.render(batch)).toMatchObject({
      kind: 'malformed',
      index: 2002,
      fault: expect.any(String),
    });
  });

  test('may be empty', () => {
    expect(renderer.render(batchOfTexts([GOOD, '', GOOD]))).toMatchObject({ kind: 'malformed', index: 1 });
  });

  test('is reported after earlier violations', () => {
    const result = renderer.render(batchOfTexts([GOOD, BAD, NO_JSON, BAD], 10));
    expect(result).toMatchObject({
      kind: 'violations',
      count: 2,
      violations: [{ field: 'urls[11].loc' }, { field: 'urls[11].priority' }],
    });
  });

  test('is reported before later violations', () => {
    expect(renderer.render(batchOfTexts([NO_JSON, BAD]))).toMatchObject({ kind: 'malformed', index: 0 });
  });
});

describe('violations', () => {
  test('are listed in document order, up to a hundred, and all counted', () => {
    const values = [...plainEntries(3), ...Array.from({ length: 70 }, () => ({ loc: 1, priority: -1 }))];
    const result = renderer.render(batchOf(values, 1000));
    if (result.kind !== 'violations') throw new Error(result.kind);
    expect(result.count).toBe(140);
    expect(result.violations).toHaveLength(100);
    expect(result.violations.slice(0, 3).map(({ field }) => field)).toEqual([
      'urls[1003].loc',
      'urls[1003].priority',
      'urls[1004].loc',
    ]);
  });

  test.each(['null', '1', '"x"', '[]', 'true'])('name the entry that is not an object: %s', (text) => {
    expect(renderer.render(batchOfTexts([text], 7))).toMatchObject({
      kind: 'violations',
      violations: [{ field: 'urls[7]' }],
    });
  });
});

describe('entries are counted by path', () => {
  const anyText = fc.oneof(
    anyEntry.map((entry) => JSON.stringify(entry)),
    fc.nat().map((n) => JSON.stringify({ loc: `https://example.com/${n}` })),
    fc.constantFrom(GOOD, BAD, 'null', '[]'),
  );
  const anyFirstIndex = fc.integer({ min: 990, max: 1010 });

  /** Whether the kernel takes an entry that is alone in its batch. */
  function isTaken(text: string): boolean {
    const transcoder = new EntryTranscoder();
    const { bytes, ends } = batchOfTexts([text]);
    transcoder.load(bytes, ends);
    return transcoder.transcode(0, 0) === 1;
  }

  test('as the kernel takes or declines each of them', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 20 }), anyFirstIndex, (texts, firstIndex) => {
        const kernel = texts.filter(isTaken).length;
        const { entriesByPath } = renderer.render(batchOfTexts(texts, firstIndex));
        expect(entriesByPath).toEqual({ kernel, normative: texts.length - kernel });
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('all as normative if none may take the fast path', () => {
    const slow = new BatchRenderer(false);
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 20 }), (texts) => {
        const { entriesByPath } = slow.render(batchOfTexts(texts));
        expect(entriesByPath).toEqual({ kernel: 0, normative: texts.length });
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('up to the first that is not JSON', () => {
    const noViolation = renderer.render(batchOfTexts([GOOD, GOOD, NO_JSON, GOOD]));
    expect(noViolation.entriesByPath).toEqual({ kernel: 2, normative: 1 });
    const withViolation = renderer.render(batchOfTexts([GOOD, BAD, GOOD, GOOD, NO_JSON, GOOD]));
    expect(withViolation.entriesByPath).toEqual({ kernel: 3, normative: 2 });
  });
});
