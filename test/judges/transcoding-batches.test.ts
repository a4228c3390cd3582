/**
 * The fast path against the normative one on whole batches: a thread's renderer gets one after the other, keeps known
 * hosts and languages in its memory, and hands out results that must not change afterwards.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import type { RenderResult } from '../../src/features/uploads/fragment.ts';
import { lengthOf, sampleOf } from '../support/property-runs.ts';
import { batchOfTexts, plainEntries } from '../uploads/batches.ts';
import { NOTABLE_HOSTS } from './transcoding/hosts.ts';
import { judgeAll, judgeEntries, judgeMixedEntries } from './transcoding/judge.ts';
import { Random } from './transcoding/random.ts';
import { speltEntries } from './transcoding/spelt-entries.ts';
import { expectedOutcome, outcomeOf, verdictOn } from './transcoding/verdicts.ts';

const random = new Random(1);
const entryOn = (host: string, rest = '/') => JSON.stringify({ loc: `https://${host}${rest}` });

/** The XML in place of its compressed bytes, as a copy. */
function inflated({ entriesByPath: _, ...result }: RenderResult): unknown {
  if (result.kind !== 'fragments') return structuredClone(result);
  return result.fragments.map(({ deflated, ...rest }) => {
    return { ...rest, xml: inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString() };
  });
}

/** The batch somewhere inside a buffer, between bytes that would continue any token. */
function withinBuffer(texts: readonly string[], offset: number) {
  const { bytes, ends, firstIndex } = batchOfTexts(texts);
  const around = new Uint8Array(bytes.length + 2 * offset).fill(0x22);
  around.set(bytes, offset);
  return { bytes: around.subarray(offset, offset + bytes.length), ends, firstIndex };
}

test('results do not change when the bytes of their batch are gone and other batches follow', () => {
  const fast = new BatchRenderer(true);
  const slow = new BatchRenderer(false);
  const results: { result: RenderResult; expected: unknown }[] = [];
  for (let n = 0; n < lengthOf(400); n++) {
    // Some batches have only valid entries, so that they give XML.
    const texts = speltEntries(random.between(1, 20), random).filter(
      (text) => n % 4 === 0 || verdictOn(text).kind === 'valid',
    );
    if (texts.length === 0) continue;
    const batch = withinBuffer(texts, random.below(100));
    const result = fast.render(batch);
    batch.bytes.buffer.transfer(0);
    results.push({ result, expected: inflated(slow.render(withinBuffer(texts, 0))) });
  }
  expect(results.filter(({ result }) => result.kind === 'fragments').length).toBeGreaterThan(lengthOf(200));
  for (const { result, expected } of results) expect(inflated(result)).toEqual(expected);
});

test('without the fast path the results are those of JSON.parse, the schema and the renderer', () => {
  const slow = new BatchRenderer(false);
  for (let n = 0; n < lengthOf(100); n++) {
    const texts = speltEntries(random.between(1, 10), random);
    const expected = expectedOutcome(texts.map(verdictOn), 995);
    expect(outcomeOf(slow.render(batchOfTexts(texts, 995)))).toEqual(expected);
  }
});

test('on batches with as many entries as a task gets', () => {
  for (const firstIndex of [0, 4_500, 49_999]) {
    judgeMixedEntries(
      plainEntries(5_000).map((entry) => JSON.stringify(entry)),
      firstIndex,
    );
  }
  judgeMixedEntries(
    speltEntries(5_000, random).filter((text) => verdictOn(text).kind === 'valid'),
    1,
  );
});

test('on thousands of hosts in one batch, each more than once', () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `h${n}.example`);
  for (const count of sampleOf([
    1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129, 255, 257, 1_000, 2_000,
  ])) {
    const hosts = many.slice(0, count);
    judgeMixedEntries([...hosts, ...hosts, ...hosts.toReversed()].map((host) => entryOn(host)));
  }
  const shuffled = Array.from({ length: 4_000 }, () => random.pick(many));
  judgeMixedEntries(shuffled.map((host) => entryOn(host)));
});

test('on hosts that differ from a known one in one character', () => {
  for (const host of [
    'a.example',
    'www.example.com',
    'a-label.of.sixteen',
    `${'b'.repeat(40)}.example:8080`,
  ]) {
    const others = Array.from(host).flatMap((_, at) =>
      [...'*%é :@.A1_', ''].map((character) => host.slice(0, at) + character + host.slice(at + 1)),
    );
    judgeAll(others.flatMap((other) => [entryOn(host), entryOn(other), entryOn(host, '/é')]));
  }
});

test('on hosts that resemble each other, accepted and refused ones in turn', () => {
  const alike = [
    'a.example',
    'a.exampl',
    'a.example0',
    'A.example',
    'a.example.',
    'b.a.example',
    'a..example',
    'a%example',
    'à.example',
  ];
  const addresses = ['1.2.3.4', '1.2.3', '1.2.3.4.', '1.2.3.44', '[::1]', '[::11]', '[::1', '::1]'];
  const hosts = [
    ...alike,
    ...addresses,
    ...alike.map((host) => `${host}:80`),
    ...alike.map((host) => `${host}:80000`),
    ...NOTABLE_HOSTS,
  ];
  const ends = ['/', '', '?a', '#a', ':', ':/', '\\', '@b', ' ', '/é', '.', 'x'];
  const texts = hosts.flatMap((host) => ends.map((end) => entryOn(host, end)));
  judgeAll(texts);
  judgeAll(random.shuffled([...texts, ...texts]));
  judgeAll(
    random
      .shuffled(texts)
      .map((text) => text.replace('https:', () => random.pick(['http:', 'HTTPS:', 'https:']))),
  );
});

test('on thousands of language codes, known and unknown ones in turn', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const languages = sampleOf([...letters].flatMap((first) => [...letters].map((second) => first + second)));
  const tags = languages.flatMap((language) => [
    language,
    `${language}-${random.text(letters, 2)}`,
    `${language}-Latn`,
    `${language}-latn-DE`,
  ]);
  const others = languages.flatMap((language) => [
    `\0${language}`,
    `\0\0${language}`,
    `${language}\0`,
    `${language}-`,
    `${language} `,
  ]);
  const alternateIn = (tag: string) => ({ href: 'https://a.example/', hreflang: tag });
  const texts = [...tags, ...others, ...tags].map((tag) => {
    return JSON.stringify({ loc: 'https://a.example/', hreflang: [alternateIn(tag)] });
  });
  judgeAll(texts);
  // A raw control character, which no string of JSON may have.
  judgeAll(texts.map((text) => text.replaceAll('\\u0000', '\0')));
});

test('on the heaviest entries, each before and after light ones', () => {
  const light = speltEntries(20, random);
  const images = (count: number, text: string) =>
    Array(count).fill({ loc: 'https://a.example/', title: text });
  const heavy = [
    { loc: 'https://a.example/', images: images(400, "'".repeat(10_000)) },
    { loc: 'https://a.example/', images: images(100, '😀'.repeat(10_000)) },
    { loc: 'https://a.example/', images: images(1_000, '') },
    { loc: 'https://a.example/', unknown: 'x'.repeat(4_000_000) },
    { loc: 'https://a.example/', unknown: Array(1_000_000).fill(0) },
  ].map((entry) => JSON.stringify(entry));
  for (const one of heavy) judgeEntries([...light, one, ...light]);
  for (const one of heavy) judgeEntries([one]);
});

test('on batches that differ much in size', () => {
  for (let n = 0; n < lengthOf(300); n++)
    judgeMixedEntries(speltEntries(random.onceIn(20) ? 300 : random.between(1, 3), random), 0);
});
