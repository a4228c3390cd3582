/**
 * The fast path against the normative one: on any batch both give the same bytes and the same violations. Entries are
 * spelt in every way that JSON has, because the test must not rely on what the fast path's code recognises.
 */

import { constants, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryTranscoder } from '../../src/sitemap/entry-transcoder.ts';
import { BatchRenderer } from '../../src/uploads/batch-renderer.ts';
import type { RenderResult } from '../../src/uploads/fragment.ts';
import { anyEntry, anyUrl } from '../sitemap/arbitrary-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchOfTexts } from '../uploads/batches.ts';

const fast = new BatchRenderer(true);
const slow = new BatchRenderer(false);

/** The XML in place of its compressed bytes, so that a difference is readable. The paths may differ. */
function readable({ entriesByPath: _, ...result }: RenderResult): unknown {
  if (result.kind !== 'fragments') return result;
  return result.fragments.map(({ deflated, ...rest }) => {
    return { ...rest, xml: inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString() };
  });
}

function expectSame(texts: readonly string[]): void {
  expect(renderOnce(fast, texts)).toEqual(renderOnce(slow, texts));
}

/** Like in a thread: the batch's bytes are gone afterwards, so the renderer must not keep a view of them. */
function renderOnce(renderer: BatchRenderer, texts: readonly string[]): unknown {
  const batch = batchOfTexts(texts);
  const result = readable(renderer.render(batch));
  batch.bytes.buffer.transfer(0);
  return result;
}

/** The size of the XML that the fast path alone makes of an entry. */
function transcodedBytes(text: string): number {
  const transcoder = new EntryTranscoder();
  const { bytes, ends } = batchOfTexts([text]);
  transcoder.load(bytes, ends);
  transcoder.transcode(0, 0);
  return transcoder.take().bytes;
}

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const digits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));

/** The fast path takes steps of sixteen bytes. The byte it looks for may be anywhere in a step, or at a limit. */
const anyPadding = fc
  .oneof(
    { weight: 8, arbitrary: fc.nat(40) },
    { weight: 1, arbitrary: fc.integer({ min: 2000, max: 2048 }) },
    { weight: 1, arbitrary: fc.integer({ min: 9960, max: 10_000 }) },
  )
  .map((length) => '/'.padEnd(length, 'p'));
const relativeUrl = fc.stringMatching(/^\/{1,3}[a-z.]{0,12}\/[a-z]{0,6}$/);
const plainUrl = fc
  .record({
    origin: fc.constantFrom(
      'https://a.example',
      'http://A.Example:8080',
      'https://xn--bcher-kva.example',
      'https://x',
      `https://${'long-label.'.repeat(4)}example`,
      'https://b.example',
      'https://a.exampl',
    ),
    rest: fc.stringMatching(/^[/?#%&'"<>A-Za-z0-9_.~!$()*+,;=:@ {}-]{0,24}$/),
    padding: anyPadding,
  })
  .map(({ origin, rest, padding }) => origin + padding + rest);
const loc = fc.oneof(
  { weight: 4, arbitrary: plainUrl },
  relativeUrl,
  anyUrl,
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const lastmod = fc.oneof(
  fc
    .tuple(fc.constantFrom('2024', '2023', '0000', '1900'), digits(13), digits(32))
    .map((parts) => parts.join('-')),
  fc
    .tuple(
      digits(13),
      digits(32),
      digits(25),
      digits(61),
      digits(61),
      fc.constantFrom('Z', 'z', '', '+01:00', '.5Z'),
    )
    .map(([month, day, h, m, s, zone]) => `2024-${month}-${day}T${h}:${m}:${s}${zone}`),
);
const changefreq = fc.constantFrom(
  'always',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'never',
  'Daily',
  'dail',
  '',
);
const priority = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '-0',
    '1.0',
    '1.00',
    '1.1',
    '0.0',
    '0.50',
    '0.5e0',
    '1e0',
    '1E-2',
    '01',
    '0.',
    '.5',
    '2',
    'null',
  ),
  fc.stringMatching(/^[01]\.\d{1,12}$/),
  fc.double({ min: 0, max: 1, noNaN: true }).map(String),
);
const text = fc.oneof(
  fc
    .tuple(anyPadding, fc.stringMatching(/^[a-z&<>"'\\/é\ufffd-\uffff]{0,8}$/), fc.nat(40))
    .map(([before, special, after]) => JSON.stringify(before + special + 'p'.repeat(after))),
  fc.string({ unit: 'binary', maxLength: 12 }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^[a-z&<>'é煎\ufffd-\uffff]{0,8}$/).map((value) => JSON.stringify(value)),
  fc.constantFrom('""q" \\\\ \\/"', '"\\n"', '"\\u0041"', '"\\ud800"', '""', 'null', '1'),
);
const objectOf = (members: Record<string, fc.Arbitrary<string>>) =>
  fc
    .record({
      values: fc.record(members, { requiredKeys: [] }),
      keys: fc.shuffledSubarray(Object.keys(members)),
      at: space,
    })
    .map(({ values, keys, at }) => {
      const spelt = keys.filter((key) => key in values).map((key) => `${at}"${key}":${values[key]}`);
      return `${at}{${spelt.join(`${at},`)}}`;
    });
const quoted = loc.map((value) => JSON.stringify(value));
const image = objectOf({ loc: quoted, title: text, caption: text, geo_location: text, license: quoted });
const tag = fc.constantFrom(
  'en',
  'EN',
  'en-GB',
  'en-UK',
  'zh-Hant',
  'x-default',
  'X-Default',
  'e',
  '',
  'xx',
  'de-AT',
);
const alternate = objectOf({ href: quoted, hreflang: tag.map((value) => JSON.stringify(value)) });
const listOf = (element: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(element, { maxLength: 3 }), space)
    .map(([all, at]) => `[${at}${all.join(`${at},`)}${at}]`);
const member = fc.oneof(
  listOf(image).map((value) => ['images', value]),
  listOf(alternate).map((value) => ['hreflang', value]),
  loc.map((value) => ['loc', JSON.stringify(value)]),
  lastmod.map((value) => ['lastmod', JSON.stringify(value)]),
  changefreq.map((value) => ['changefreq', JSON.stringify(value)]),
  priority.map((value) => ['priority', value]),
  fc.constantFrom(
    ['x', '1'],
    ['lo', '""'],
    ['loc2', '{}'],
    ['LOC', '""'],
    ['\\u006coc', '"https://a.example/e"'],
  ),
);
const spelt = fc
  .record({
    members: fc.array(member, { maxLength: 5 }),
    loc: fc.option(plainUrl),
    at: fc.nat(4),
    spaces: fc.array(space, { minLength: 6, maxLength: 6 }),
  })
  .map(({ members, loc: first, at, spaces: [a, b, c, d, e, f] }) => {
    const all = members.map(([key, value]) => `${a}"${key}"${b}:${c}${value}${d}`);
    if (first !== null) all.splice(at, 0, `"loc":${JSON.stringify(first)}`);
    return `${e}{${all.join(',')}${f}}${a}`;
  });
const damaged = fc
  .record({
    text: spelt,
    at: fc.nat(),
    with: fc.constantFrom('', '"', ',', ':', '{', '}', '0', '\\', ' ', 'e'),
  })
  .map(({ text, at, with: inserted }) => {
    const position = at % (text.length + 1);
    return text.slice(0, position) + inserted + text.slice(position + 1);
  })
  // A batch never has a blank element: strings and brackets decide where elements are cut.
  .filter((text) => !/^[\s]*$/.test(text));

test('on entries in every spelling', () => {
  fc.assert(fc.property(fc.array(spelt, { minLength: 1, maxLength: 4 }), expectSame), {
    numRuns: PROPERTY_RUNS * 5,
  });
});

test('on entries with a byte changed', () => {
  fc.assert(
    fc.property(damaged, (text) => expectSame([text])),
    { numRuns: PROPERTY_RUNS * 5 },
  );
});

test('on entries of all kinds', () => {
  const texts = fc.array(
    anyEntry.map((entry) => JSON.stringify(entry)),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(fc.property(texts, expectSame), { numRuns: PROPERTY_RUNS });
});

test.each([
  '{"loc":"https://a.example/b"}',
  '{"loc":"https://a.example/b?x=1&y=2#f","lastmod":"2026-01-15","changefreq":"weekly","priority":0.8}',
  '{"loc":"https://a.example/b","images":[{"loc":"https://a.example/e.png","title":"\\"é\\""}],"hreflang":[]}',
  ' { "priority" : 1.0 , "loc" : "https://a.example/%41" , "lastmod" : "2026-01-15T10:00:00Z" } ',
])('the fast path takes %s', (text) => {
  expect(transcodedBytes(text)).toBeGreaterThan(0);
  expectSame([text]);
});

/** Variants of a plain object: one member is left out, doubled, or has each of these values. */
function* variants(members: Readonly<Record<string, string>>): Generator<string> {
  const spelt = Object.entries(members).map(([name, value]) => `"${name}":${value}`);
  for (const [at, [name, value]] of Object.entries(members).entries()) {
    const withInstead = (...instead: string[]) => `{${spelt.toSpliced(at, 1, ...instead).join(',')}}`;
    yield withInstead();
    yield withInstead(spelt[at]!, spelt[at]!);
    for (const odd of ODD_VALUES) yield withInstead(`"${name}":${odd}`);
    yield withInstead(`"${name}x":${value}`);
    yield withInstead(`"${name.slice(1)}":${value}`);
    yield withInstead(`"${name}" : ${value} `);
  }
  yield `{${spelt.toReversed().join(',')}}`;
}
const ODD_VALUES = [
  'null',
  'true',
  '0',
  '1',
  '-1',
  '""',
  '"x"',
  '" "',
  '[]',
  '[[]]',
  '{}',
  '[{}]',
  '[null]',
].concat('"https://a.example"', '"https://a.example/ä"', '"2026-02-30"', '"en"');
const IMAGE_MEMBERS = {
  loc: '"https://a.example/e.png"',
  title: '"t"',
  caption: '"c"',
  geo_location: '"g"',
  license: '"https://a.example/l"',
};
const ALTERNATE_MEMBERS = { href: '"https://a.example/de"', hreflang: '"de"' };
const ENTRY_MEMBERS = {
  loc: '"https://a.example/b"',
  lastmod: '"2026-01-15"',
  changefreq: '"weekly"',
  priority: '0.8',
  images: `[{"loc":${IMAGE_MEMBERS.loc}}]`,
  hreflang: `[{"href":${ALTERNATE_MEMBERS.href},"hreflang":"de"}]`,
};

test('on plain entries with one member missing, doubled, misspelt or odd', () => {
  const images = Array.from(
    variants(IMAGE_MEMBERS),
    (image) => `{"loc":${ENTRY_MEMBERS.loc},"images":[${image}]}`,
  );
  const alternates = Array.from(
    variants(ALTERNATE_MEMBERS),
    (alternate) => `{"loc":${ENTRY_MEMBERS.loc},"hreflang":[${alternate}]}`,
  );
  for (const text of [...variants(ENTRY_MEMBERS), ...images, ...alternates]) expectSame([text]);
});

test('entries with more images than it has room for take the normative path', () => {
  const images = Array.from({ length: 1000 }, (_, i) => ({ loc: `https://a.example/${i}.png` }));
  const hreflang = Array.from({ length: 1000 }, (_, i) => ({
    href: `https://a.example/${i}`,
    hreflang: 'en',
  }));
  for (const count of [1, 200, 201, 202, 203, 204, 205, 500, 1000]) {
    expectSame([JSON.stringify({ loc: 'https://a.example/b', images: images.slice(0, count) })]);
    expectSame([JSON.stringify({ loc: 'https://a.example/b', hreflang: hreflang.slice(0, count), images })]);
  }
});
