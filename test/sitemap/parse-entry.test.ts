import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { shownValue } from '../../src/platform/shown-value.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { anyEntry } from './arbitrary-entry.ts';
import { accepted, refusedFields } from './document.ts';
import { fieldOf, fullEntry } from './full-entry.ts';

test('a violation has the exact path, the value sent there and the rule', () => {
  const images = [{ loc: 'https://a.example/1' }, { loc: 'https://a.example/2' }, { loc: 'a.example/3' }];
  expect(parseEntry({ loc: 'https://a.example/', images }, 31_007)).toEqual({
    violations: [
      {
        field: 'urls[31007].images[2].loc',
        value: 'a.example/3',
        message: 'must be an absolute URL that starts with http:// or https://',
      },
    ],
  });
});

test.each([
  [{ lastmod: '2026-01-15', url: 'https://a.example/' }, '; rename url to loc'],
  [{ lastmod: 'https://a.example/', permalink: 'a', Loc: 'HTTPS://a.example/' }, '; rename Loc to loc'],
  [{ loc: null, page_url: 'http://a.example/' }, '; rename page_url to loc'],
  [{ url: ['https://a.example/'], 'a b': 'https://a.example/', id: 1 }, ''],
  [{ loc: 5, url: 'https://a.example/' }, undefined],
])('%j without loc has the cure "%s"', (raw, cure) => {
  const message = cure !== undefined && `is required and must be an absolute http:// or https:// URL${cure}`;
  const parsed = parseEntry(raw, 0);
  const found = 'violations' in parsed && parsed.violations.find(({ field }) => field === 'urls[0].loc');
  expect(found).toMatchObject({ message: message || 'must be an absolute http:// or https:// URL' });
});

describe('the order of violations', () => {
  test('is that of the document, not of the schema', () => {
    const raw = {
      video: null,
      priority: 2,
      images: [{ license: 'x', loc: 'x' }, {}],
      lastmod: 'x',
      loc: 'x',
    };
    expect(refusedFields(raw)).toEqual([
      'priority',
      'images[0].license',
      'images[0].loc',
      'images[1].loc',
      'lastmod',
      'loc',
    ]);
  });

  test('puts a missing member at the end of its object', () => {
    expect(refusedFields({ news: { title: '', keywords: 5 }, priority: 'x' })).toEqual([
      'news.title',
      'news.keywords',
      'news.publication',
      'news.publication_date',
      'priority',
      'loc',
    ]);
  });

  test('puts faults of an object before faults inside it', () => {
    const { content_loc, player_loc, ...video } = fullEntry().video;
    expect(refusedFields({ loc: 'https://a.example/', video: { ...video, title: '' } })).toEqual([
      'video',
      'video.title',
    ]);
  });
});

test('a field that breaks two rules is reported once', () => {
  expect(
    refusedFields({ loc: 'https://a.example/', video: { ...fullEntry().video, view_count: -0.5 } }),
  ).toEqual(['video.view_count']);
});

test.each(['images', 'hreflang'])(
  'an object with a length that nothing can be compared with is no list: %s',
  (name) => {
    const parsed = parseEntry(
      { loc: 'https://example.com/', [name]: { length: { valueOf: 1, toString: 1 } } },
      0,
    );
    expect(parsed).toMatchObject({ violations: [{ field: `urls[0].${name}` }] });
  },
);

test('a list that is too long is one violation, with any content', () => {
  expect(refusedFields({ loc: 'https://a.example/', images: Array(100_000).fill({}) })).toEqual(['images']);
});

test.each([null, 'https://a.example/', 7, true, [], [{ loc: 'https://a.example/' }]])(
  '%j is not an entry',
  (raw) => {
    expect(parseEntry(raw, 3)).toMatchObject({ violations: [{ field: 'urls[3]', value: raw }] });
  },
);

describe('members with hostile names', () => {
  test('are dropped on every level', () => {
    const raw = JSON.parse(`{
      "loc": "https://a.example/", "__proto__": {"priority": 7}, "constructor": 1, "toString": null, "x": [],
      "images": [{"loc": "https://a.example/1", "__proto__": {"title": 5}, "hasOwnProperty": 1}]
    }`);
    expect(accepted(raw)).toEqual({ loc: 'https://a.example/', images: [{ loc: 'https://a.example/1' }] });
  });

  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'loc ',
    '',
  ];
  const shapes = ['null', '7', '"x"', 'true', '[]', '{}', '{"loc":7,"priority":7}', '[{"loc":7}]'];

  test.each(names)('like %j change nothing, with any value', (name) => {
    const expected = accepted(fullEntry());
    for (const shape of shapes) {
      const member = `${JSON.stringify(name)}:${shape},`;
      // In every object of the entry, before its other members.
      const raw = JSON.parse(JSON.stringify(fullEntry()).replaceAll('{', `{${member}`));
      expect(accepted(raw)).toEqual(expected);
    }
  });

  test.each(names)('like %j are no violations beside real ones', (name) => {
    for (const shape of shapes) {
      const raw = JSON.parse(`{${JSON.stringify(name)}:${shape},"priority":7}`);
      expect(refusedFields(raw)).toEqual(['priority', 'loc']);
    }
  });

  test('are not read from the prototype', () => {
    expect(refusedFields(JSON.parse('{"__proto__": {"loc": "https://a.example/"}}'))).toEqual(['loc']);
  });
});

test('a repeated member has its last value, and its first place', () => {
  expect(accepted(JSON.parse('{"loc":1,"loc":"https://a.example/"}'))).toEqual({ loc: 'https://a.example/' });
  const raw = JSON.parse('{"loc":"https://a.example/","priority":2,"loc":"x","priority":3}');
  expect(parseEntry(raw, 0)).toMatchObject({
    violations: [
      { field: 'urls[0].loc', value: 'x' },
      { field: 'urls[0].priority', value: 3 },
    ],
  });
});

test('a long value is cut', () => {
  const parsed = parseEntry({ loc: `x${'a'.repeat(5_000)}` }, 0);
  expect('violations' in parsed && parsed.violations[0]?.value).toBe(`x${'a'.repeat(255)}…`);
});

test('on any input, each violation names one field, says the rule, and is about the value sent there', () => {
  const members = fc.constantFrom(
    'loc',
    'priority',
    'images',
    'news',
    'video',
    'title',
    'tag',
    'name',
    'info',
    'live',
  );
  const { tree: anything } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      anyEntry,
      fc.dictionary(members, tie('tree')),
      fc.array(tie('tree')),
    ),
  }));
  fc.assert(
    fc.property(fc.oneof(anything, fc.dictionary(members, anything)), (raw) => {
      const parsed = parseEntry(raw, 0);
      if ('entry' in parsed) return;
      const fields = parsed.violations.map(({ field }) => field);
      expect(new Set(fields).size).toBe(fields.length);
      for (const { field, value, message } of parsed.violations) {
        expect(message).toMatch(/^(is required and )?must [a-z]/);
        expect(value).toEqual(shownValue(fieldOf(raw, field.replace(/^urls\[0\]/, ''))));
      }
    }),
    { numRuns: 2 * PROPERTY_RUNS },
  );
});
