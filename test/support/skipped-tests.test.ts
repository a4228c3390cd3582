import { expect, test } from 'vitest';
import { summarize } from './skipped-tests.ts';

test('one line says how many tests were skipped, for the lack of what, and how to get that', () => {
  expect(summarize([['xmllint', 'the public schemas'], ['scrapy'], ['the public schemas']])).toBe(
    '3 tests were skipped. Missing here: xmllint (apt-get install libxml2-utils); ' +
      'the public schemas (npm run test:schemas); scrapy (apt-get install python3-scrapy).',
  );
});

test('where nothing is missing nothing is said', () => {
  expect(summarize([])).toBeUndefined();
});
