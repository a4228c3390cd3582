/**
 * The fast path against the normative one on the structure of entries: members that are missing, twice, null, unknown
 * or misspelt, in every object, in every order, with every layout, and with one character wrong.
 */
import { test } from 'vitest';
import { fullEntry } from '../sitemap/full-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { everyDamage } from './transcoding/damage.ts';
import { judgeAll } from './transcoding/judge.ts';
import { withEachGap, withGaps } from './transcoding/layouts.ts';
import { notableNumbers } from './transcoding/numbers.ts';
import {
  allPlaces,
  fullJson,
  objectOf,
  objectWith,
  ordinaryJson,
  ordinaryMember,
} from './transcoding/places.ts';
import { Random } from './transcoding/random.ts';
import { MALFORMED_INSIDES, WAYS } from './transcoding/strings.ts';
import {
  almost,
  DEEPEST_LEVELS,
  KNOWN_NAMES,
  MALFORMED_VALUES,
  nested,
  ODD_VALUES,
  UNKNOWN_NAMES,
} from './transcoding/unknown-members.ts';

const random = new Random(1);
const byPath = allPlaces().map((place) => [place.path || 'the entry', place] as const);
/** For each object an entry in which it has all members. */
const ORDINARY_ENTRIES = allPlaces().map(({ shape, entryWith }) => {
  return entryWith(objectOf(shape.members.map(ordinaryMember)));
});
const ENTRIES = [
  ...ORDINARY_ENTRIES,
  JSON.stringify({ ...fullEntry(), unknown: [{ a: [] }, {}, -1.5e3, 'x', null] }),
];
/** Values that count as absent, break a rule, or are fine for some members. */
const TWICE = ['null', '7', '"x"', '[]', '{}', 'true', '"https://a.example/2"', '"2024-02-29"', '"\\u0065n"'];

test.each(byPath)('on members of %s that are missing, twice or in another order', (_, place) => {
  const { shape, entryWith } = place;
  const all = shape.members.map(ordinaryMember);
  const texts = [all, all.toReversed(), ...all.keys().map((i) => [...all.slice(i), ...all.slice(0, i)])];
  for (const [i, { name, kind }] of shape.members.entries()) {
    texts.push(all.toSpliced(i, 1), [all[i]!], [...all, all[i]!]);
    // The last object counts alone: nothing of an earlier one may stay.
    for (const value of [...TWICE, fullJson(kind)]) {
      const other = `"${name}":${value}`;
      texts.push(
        all.with(i, other),
        [other, ...all],
        [...all, other],
        [...all, other, all[i]!],
        [all[i]!, other],
      );
      texts.push([other, ...all, other], all.toSpliced(i, 0, other), all.toSpliced(i + 1, 0, other));
    }
  }
  judgeAll(texts.map((members) => entryWith(objectOf(members))));
});

test.each(byPath)(
  'on names of members of %s in every spelling, and on names that are nearly known',
  (_, place) => {
    const { shape, entryWith } = place;
    const all = shape.members.map(ordinaryMember);
    const texts: string[] = [];
    for (const [i, { name }] of shape.members.entries()) {
      const value = all[i]!.slice(`"${name}":`.length);
      const names = [...Object.values(WAYS), WAYS.mixed, WAYS.mixed].map((way) => way(name, random));
      for (const character of Array(name.length).keys()) names.push(withEscapeAt(name, character));
      for (const inside of MALFORMED_INSIDES) names.push(`"${name}${inside}"`, `"${inside}${name}"`);
      for (const nearly of almost(name)) names.push(WAYS.raw(nearly), WAYS.mixed(nearly, random));
      names.push(name, `'${name}'`, `"${name}`, `${name}"`);
      // Instead of the member, and beside it with a value that breaks the rules.
      for (const spelt of names)
        texts.push(objectOf(all.with(i, `${spelt}:${value}`)), objectOf([...all, `${spelt}:7`]));
    }
    judgeAll(texts.map(entryWith));
  },
);

function withEscapeAt(name: string, at: number): string {
  return `"${name.slice(0, at)}${WAYS['lower-case hexadecimal'](name[at]!).slice(1, -1)}${name.slice(at + 1)}"`;
}

test.each(byPath)('on unknown members of %s', (_, { shape, entryWith }) => {
  const all = shape.members.map(ordinaryMember);
  const own = shape.members.map(({ name }) => name);
  const names = [...UNKNOWN_NAMES, ...KNOWN_NAMES.filter((name) => !own.includes(name))];
  const texts: string[] = [];
  for (const name of names) {
    for (const value of [random.pick(ODD_VALUES), '{"a":[1,{"loc":"x"}]}', random.pick(MALFORMED_VALUES)]) {
      const at = random.below(all.length + 1);
      texts.push(
        objectOf(all.toSpliced(at, 0, `${random.pick([WAYS.raw, WAYS.mixed])(name, random)}:${value}`)),
      );
    }
  }
  for (const number of notableNumbers()) {
    texts.push(objectOf(all.toSpliced(1, 0, `"x":${number}`)), objectOf([...all, `"x":[${number}]`]));
  }
  for (const value of [
    ...ODD_VALUES,
    ...MALFORMED_VALUES,
    ...MALFORMED_INSIDES.map((inside) => `"a${inside}b"`),
  ]) {
    for (const nested of [value, `[${value}]`, `{"a":${value}}`, `[0,${value}]`]) {
      for (const at of [0, 1, all.length]) texts.push(objectOf(all.toSpliced(at, 0, `"x":${nested}`)));
    }
  }
  judgeAll(texts.map(entryWith));
});

test('on unknown values of every depth', () => {
  const levels = [...Array(DEEPEST_LEVELS + 12).keys(), 63, 64, 65, 100, 255, 256, 257, 1_000];
  for (const { shape, entryWith } of allPlaces()) {
    const member = ordinaryMember(shape.members[0]!);
    const values = levels.flatMap((count) => [
      nested(count),
      nested(count, '"]}"'),
      nested(count, '1 2'),
      `${'['.repeat(count)}${']'.repeat(count)}`,
      `${'['.repeat(count)}${']'.repeat(Math.max(0, count - 1))}}`,
    ]);
    judgeAll(values.map((value) => entryWith(objectOf([`"x":${value}`, member]))));
  }
});

test('on full and short objects in turn', () => {
  for (const { shape, entryWith } of allPlaces()) {
    for (const { name, kind } of shape.members) {
      const [full, short] = [fullJson, ordinaryJson].map((json) => json(kind.is === 'list' ? kind.of : kind));
      const lists = [
        [full, short],
        [short, full],
        [full, short, full, short],
        [short, short, full],
      ];
      if (kind.is === 'list')
        judgeAll(lists.map((list) => entryWith(objectWith(shape, name, `[${list.join(',')}]`))));
      judgeAll([full, short, full].map((value) => entryWith(objectWith(shape, name, value!))));
    }
  }
});

test('on white space of every kind and length between all tokens', () => {
  for (const text of ENTRIES) {
    for (const space of [' ', '\t', '\n', '\r', ' \t\n\r', '\r\n  ']) {
      judgeAll(Array.from({ length: 41 }, (_, length) => withGaps(text, () => space.repeat(length))));
    }
    judgeAll(
      Array.from({ length: 100 }, () => withGaps(text, () => random.text(' \t\r\n', random.below(20)))),
    );
  }
});

test('on characters that are no white space of JSON between all tokens', () => {
  for (const odd of [
    '\v',
    '\f',
    '\xa0',
    '\ufeff',
    '\u2028',
    '\0',
    '/**/',
    '\x1f',
    '!',
    '\x85',
    '\b',
    '\x19',
  ]) {
    for (const text of ENTRIES) judgeAll(withEachGap(text, odd));
  }
});

test('on entries at every position of a vector', () => {
  for (let spaces = 0; spaces <= 40; spaces++) {
    judgeAll(ENTRIES.flatMap((text) => [' '.repeat(spaces) + text, text + '\n'.repeat(spaces)]));
  }
});

test('on malformed strings', () => {
  for (const { shape, entryWith } of allPlaces()) {
    for (const { name } of shape.members) {
      const values = MALFORMED_INSIDES.flatMap((inside) => [
        inside,
        `https://a.example/${inside}`,
        `en${inside}x`,
      ]);
      judgeAll(values.map((value) => entryWith(objectWith(shape, name, `"${value}"`))));
    }
  }
});

test('on entries with one character removed, replaced or inserted, and on their beginnings', () => {
  const spelt =
    '{ "\\u006coc" : "https://a.example/\\u00e9\\n😀" , "x" : [ -1.5e+3 , { "a" : null } ] , "priority" : 1e-2 }';
  // A property over all damages: CI judges each of them, a run at hand a quarter.
  const some = (texts: Iterable<string>) =>
    Iterator.from(texts).filter(() => random.below(200) < PROPERTY_RUNS);
  for (const text of [...ORDINARY_ENTRIES, spelt]) judgeAll(some(everyDamage(text)));
});
