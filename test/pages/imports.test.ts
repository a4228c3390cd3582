/** The sources that people type for their sitemap, names of columns that no page has seen, and the lines for events of buckets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sourceOf } from '../../pages/api/source-of.ts';
import { hookLines } from '../../pages/views/sitemap/hook-lines.ts';
import { columnsOfNames, namesIn } from '../../pages/views/upload/unseen-names.ts';
import { parseColumns } from '../../src/features/uploads/forms/column-choice.ts';
import { PROJECT } from '../architecture/import-graph.ts';

test.for([
  ['www.example.com', 'https://www.example.com/robots.txt'],
  [' Example.com/ ', 'https://Example.com/robots.txt'],
  ['https://www.example.com', 'https://www.example.com/robots.txt'],
  ['localhost:8080', 'https://localhost:8080/robots.txt'],
  ['münchen.example', 'https://münchen.example/robots.txt'],
  ['www.example.com/sitemap.xml', 'https://www.example.com/sitemap.xml'],
  ['https://www.example.com/?sitemap=1', 'https://www.example.com/?sitemap=1'],
  ['http://www.example.com/a.xml', 'http://www.example.com/a.xml'],
  // The service tells the fault of this address.
  ['ftp://www.example.com/a.xml', 'ftp://www.example.com/a.xml'],
  ['s3://bucket/*.csv', 's3://bucket/*.csv'],
] as const)('%s is read from %s', ([typed, source]) => expect(sourceOf(typed)).toBe(source));

test('any two names of columns are what the service reads, and come back', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.trim())
    .filter((text) => text !== '');
  fc.assert(
    fc.property(name, name, (loc, lastmod) => {
      const columns = columnsOfNames({ loc, lastmod })!;
      expect(parseColumns(columns)).toEqual([
        { member: 'loc', name: loc },
        { member: 'lastmod', name: lastmod },
      ]);
      expect(namesIn(columns)).toEqual({ loc, lastmod });
    }),
  );
  expect(columnsOfNames({ loc: '', lastmod: '' })).toBeUndefined();
  expect(columnsOfNames({ loc: '', lastmod: 'at' })).toBe('loc:loc,lastmod:at');
  expect(namesIn(undefined)).toEqual({ loc: '', lastmod: '' });
});

test('docs/api.md has the lines for the events of each store', () => {
  const page = readFileSync(join(PROJECT, 'docs/api.md'), 'utf8');
  for (const { name, text } of hookLines('"$WAYPOST/api/hooks/3q2-7w…"')) {
    expect(page).toContain(text);
    if (name !== 'Any program') expect(page).toContain(name);
  }
});

test('lines that replace what a bucket has come with a warning, after a line that prints it', () => {
  const page = readFileSync(join(PROJECT, 'docs/api.md'), 'utf8');
  const replacing = hookLines('https://waypost.example/api/hooks/x').filter(({ text }) =>
    text.includes('put-bucket-notification-configuration'),
  );
  expect(replacing.length).toBeGreaterThan(0);
  for (const { text, warning } of replacing) {
    expect(text.split('\n')[0]).toBe('aws s3api get-bucket-notification-configuration --bucket BUCKET');
    expect(text.split('\n')[1]).toMatch(/^aws s3api put-bucket-notification-configuration /);
    expect(page).toContain(warning);
  }
});
