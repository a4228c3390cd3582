import { expect, test } from 'vitest';
import { summarize } from './skipped-tests.ts';

test('one line says how many tests are skipped, what is missing and how to get it', () => {
  expect(summarize([['xmllint', 'the public schemas'], ['scrapy'], ['the public schemas']])).toBe(
    '3 tests were skipped. Missing here: xmllint (apt-get install libxml2-utils); ' +
      'the public schemas (npm run test:schemas); scrapy (apt-get install python3-scrapy).',
  );
});

test('nothing is printed if nothing is missing', () => {
  expect(summarize([])).toBeUndefined();
});
