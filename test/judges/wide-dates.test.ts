/** Dates beyond W3C and URLs without a base: the fast path against the normative one, and what the fast path takes. */
import { constants, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Reading } from '../../src/core/sitemap/reading.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { countEntries } from '../support/judged-entries.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchOfTexts } from '../uploads/batches.ts';
import { Random } from './transcoding/random.ts';
import { randomReading, randomRelativeUrl, randomWideDate } from './transcoding/wide-dates.ts';

const fast = new BatchRenderer();
const normative = new BatchRenderer(false);

const LOC = '"loc":"https://example.com/"';
const entryWith = (date: string, random: Random) => {
  const url = randomRelativeUrl(random);
  return random.pick([
    `{"loc":${url},"lastmod":${date}}`,
    `{"loc":${url},"lastmod":${date},"images":[{"loc":${url}},{"loc":${url}}]}`,
    `{${LOC},"lastmod":${date}}`,
    `{"lastmod":${date},${LOC}}`,
    `{${LOC},"news":{"publication":{"name":"a","language":"en"},"publication_date":${date},"title":"b"}}`,
    `{${LOC},"video":{"thumbnail_loc":"https://a.example/","title":"t","description":"d","content_loc":"https://a.example/","publication_date":${date},"expiration_date":${date}}}`,
  ]);
};

function outcome(renderer: BatchRenderer, texts: readonly string[], reading: Reading) {
  const result = renderer.render({ ...batchOfTexts(texts), reading }, 'skip');
  if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
  const { entriesByPath, fragments, notes, rejected } = result;
  const xml = fragments.map(({ deflated }) =>
    inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString(),
  );
  return { entriesByPath, judged: { xml, notes, rejected } };
}

test('any date is read alike on both paths, by any reading', () => {
  const random = new Random(Date.now());
  for (let run = 0; run < 4 * PROPERTY_RUNS; run++) {
    const reading = randomReading(random);
    const texts = Array.from({ length: 200 }, () => entryWith(randomWideDate(random), random));
    countEntries(texts.length);
    const slow = outcome(normative, texts, reading);
    expect({ reading, ...outcome(fast, texts, reading).judged }).toEqual({ reading, ...slow.judged });
  }
});

test('the fast path takes every date that is valid', () => {
  const random = new Random(7);
  for (let run = 0; run < 20; run++) {
    const reading = randomReading(random);
    const texts = Array.from({ length: 300 }, () => entryWith(randomWideDate(random), random)).filter(
      (text) => outcome(normative, [text], reading).judged.rejected === undefined,
    );
    expect(texts.length).toBeGreaterThan(20);
    expect(outcome(fast, texts, reading).entriesByPath).toEqual({ kernel: texts.length, normative: 0 });
  }
});

test('without a reading, only the spellings of W3C are dates', () => {
  const texts = ['2026-01-15 10:00:00Z', '2026/01/15', '2026-01-15T10:00Z'].map(
    (date) => `{${LOC},"lastmod":"${date}"}`,
  );
  // A reading of a batch before must not stay.
  fast.render({ ...batchOfTexts(texts), reading: { dates: 'iso' } });
  for (const renderer of [fast, normative]) {
    expect(renderer.render(batchOfTexts(texts))).toMatchObject({ kind: 'violations', count: 3 });
  }
});
