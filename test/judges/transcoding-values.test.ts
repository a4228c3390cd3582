/**
 * The fast path against the normative one, exhaustively: every member of every object with every notable value, and each
 * value in every spelling of JSON. A short run takes a part of the longest tables.
 */
import { expect, test } from 'vitest';
import { FORMAT_MEMBERS } from '../sitemap/format-members.ts';
import { sampleOf } from '../support/property-runs.ts';
import { judgeAll } from './transcoding/judge.ts';
import { allFields, allPlaces, type Field, objectWith, ordinaryJson } from './transcoding/places.ts';
import { Random } from './transcoding/random.ts';
import { WAYS } from './transcoding/strings.ts';
import { textsAtEveryPosition } from './transcoding/texts.ts';
import { MALFORMED_VALUES, ODD_VALUES } from './transcoding/unknown-members.ts';
import { urlsAtEveryPosition } from './transcoding/urls.ts';
import { isString, notableStrings, notableTokens } from './transcoding/values.ts';

const random = new Random(1);
/** Fields of URLs come last. They have by far the most values, and a difference in another field shows sooner this way. */
const FIELDS = allFields().toSorted((a, b) => Number(a.kind.is === 'url') - Number(b.kind.is === 'url'));
const byPath = FIELDS.map((field) => [field.path, field] as const);

test('the objects and members are those that docs/FORMAT.md lists', () => {
  const members = allPlaces().map(({ path, shape }) => [path, shape.members.map(({ name }) => name)]);
  const listed = Object.entries(FORMAT_MEMBERS).map(([path, documented]) => [path, Object.keys(documented)]);
  expect(Object.fromEntries(members)).toEqual(Object.fromEntries(listed));
});

/** The first field of its kind gets each text in all ways, the others in two. */
function* spellings(field: Field): Generator<string> {
  const { kind } = field;
  if (!isString(kind)) return yield* notableTokens(kind);
  const isFirst = FIELDS.find((other) => JSON.stringify(other.kind) === JSON.stringify(kind)) === field;
  const ways = isFirst ? Object.values(WAYS) : [WAYS.raw, WAYS.mixed];
  // A thousand characters show a limit, which does not depend on the spelling.
  for (const text of notableStrings(kind)) {
    for (const way of text.length > 1_000 ? [random.pick(ways)] : ways) yield way(text, random);
  }
}

test.each(byPath)('on every notable value of %s', (_, field) => {
  const texts = [...spellings(field)].map((value) => field.entryWith(value));
  expect(texts.length).toBeGreaterThan(0);
  judgeAll(sampleOf(texts));
});

test('on values of another type, and on tokens that are no values', () => {
  for (const { shape, entryWith } of allPlaces()) {
    for (const { name, kind } of shape.members) {
      for (const value of [...ODD_VALUES, ...MALFORMED_VALUES]) {
        const values =
          kind.is === 'list' ? [value, `[${value}]`, `[${ordinaryJson(kind.of)},${value}]`] : [value];
        judgeAll(values.map((one) => entryWith(objectWith(shape, name, one))));
      }
    }
  }
});

test('on lists of every length around a limit', () => {
  for (const { shape, entryWith } of allPlaces()) {
    for (const { name, kind } of shape.members) {
      if (kind.is !== 'list') continue;
      const element = ordinaryJson(kind.of);
      judgeAll([entryWith(objectWith(shape, name, '[]'))]);
      for (const count of [1, 2, 3, 200, 201, 202, 203, 204, 205, kind.max - 1, kind.max, kind.max + 1]) {
        const elements = Array<string>(count).fill(element);
        const lists = [
          elements,
          elements.with(-1, 'null'),
          elements.with(0, '{}'),
          [...elements, ''],
          ['', ...elements],
        ];
        judgeAll(lists.map((list) => entryWith(objectWith(shape, name, `[${list.join(',')}]`))));
      }
    }
  }
});

test('on characters that need a look, at every position of a vector', () => {
  const positions = { url: [...urlsAtEveryPosition()], text: [...textsAtEveryPosition()] };
  for (const [i, { kind, entryWith }] of FIELDS.entries()) {
    if (kind.is !== 'url' && kind.is !== 'text') continue;
    const texts = positions[kind.is];
    // All fields together see each text in several ways.
    const some = sampleOf(texts.filter((_, n) => n % 3 === i % 3));
    judgeAll(some.map((text) => entryWith(random.pick(Object.values(WAYS))(text, random))));
  }
  for (const is of ['url', 'text'] as const) {
    const { entryWith } = FIELDS.find(({ kind }) => kind.is === is)!;
    judgeAll(sampleOf(positions[is]).map((text) => entryWith(WAYS.raw(text))));
  }
});
