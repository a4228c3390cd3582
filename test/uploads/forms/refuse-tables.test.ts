import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RecordForm } from '../../../src/features/uploads/forms/read-records.ts';
import { batchesOf, readForm } from './read-form.ts';

const refused = (text: string, chunkBytes?: number) =>
  expect(batchesOf('text', text, chunkBytes)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('looks like a row of a table'),
    options: { details: { field: 'line' } },
  });

const url = (i: number) => `https://shop.example.com/p/${i}`;
const lines = (rowOf: (i: number) => string, count = 5) =>
  Array.from({ length: count }, (_, i) => rowOf(i)).join('\n');

describe('a table that is sent as a list of URLs is refused', () => {
  test.each([
    ['psql -At', (i: number) => `${url(i)}|2026-01-15 10:00:00.123+00`],
    ['with NULL', (i: number) => `${url(i)}|${i % 2 === 0 ? '2026-01-15' : ''}`],
    ['of only NULL', (i: number) => `${url(i)}|`],
    ['of three columns, the date in the middle', (i: number) => `${url(i)}|2026-01-15|Title`],
    ['tabs and numbers', (i: number) => `${url(i)}\t${i}`],
    ['tabs and zones', (i: number) => `${url(i)}\t2026-01-15 10:00:00 UTC`],
    ['a table for people', (i: number) => ` ${url(i)}    | 2026-01-15 10:00:00.123+00`],
    ['commas and dates', (i: number) => `${url(i)},2026-01-15`],
    ['commas and quoted dates', (i: number) => `${url(i)},"2026-01-15 10:00:00"`],
    ['semicolons and German dates', (i: number) => `${url(i)};15.01.2026 10:00`],
    ['commas and nothing behind them', (i: number) => `${url(i)},`],
    ['semicolons, some without a date', (i: number) => `${url(i)};${i % 2 === 0 ? '' : '2026-01-15'}`],
    ['blanks and dates', (i: number) => `${url(i)} 2026-01-15 10:00`],
    ['commas and American dates', (i: number) => `${url(i)},1/15/2026 10:00 AM`],
  ])('%s', async (_, rowOf) => {
    for (const chunkBytes of [7, 65_536]) {
      await refused(lines(rowOf), chunkBytes);
      const one = lines(rowOf, 1);
      // One URL alone may really end in a separator.
      if (/[,;]$/.test(one)) expect(await batchesOf('text', one, chunkBytes)).toHaveLength(1);
      else await refused(`${one}\n`, chunkBytes);
      await refused(`url|updated_at\n${lines(rowOf)}\n(5 rows)\n`, chunkBytes);
    }
  });
});

describe('with a base URL', () => {
  const query = { baseUrl: 'https://shop.example.com/' };

  test.each<[string, RecordForm, (i: number) => string]>([
    ['paths and dates', 'text', (i) => `/p/${i},2026-01-15`],
    ['paths without a slash before them', 'text', (i) => `p/${i}|2026-01-15`],
    ['paths in CSV of one column', 'csv', (i) => `/p/${i}|2026-01-15`],
  ])('%s are refused, too', async (_, form, rowOf) => {
    const header = form === 'csv' ? 'loc\n' : 'url|updated_at\n';
    await expect(readForm(form, header + lines(rowOf), 7, query)).rejects.toThrow(
      'looks like a row of a table',
    );
  });

  test.each(['loc', 'Page URL \r'])('a line %j before the paths is refused', async (name) => {
    await expect(readForm('text', `\ufeff\n${name}\n/a\n/b\n`, 7, query)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'line' } },
    });
    const [record] = await readForm('text', `/${name.trim()}\n/a\n`, 7, query);
    expect(record!.value).toEqual({ loc: `/${name.trim()}` });
  });

  test('paths with commas are paths', async () => {
    const paths = lines((i) => `p/${i},red`);
    const records = await readForm('text', paths, 7, query);
    expect(records.map(({ value }) => value)).toEqual(paths.split('\n').map((loc) => ({ loc })));
  });
});

test('a row with blanks has its own cure', async () => {
  const advice = 'put a tab in place of the blank, and send it as text/csv with header=false&delimiter=tab';
  await expect(
    readForm(
      'text',
      lines((i) => `${url(i)} 2026-01-15`),
    ),
  ).rejects.toThrow(advice);
  await expect(
    readForm(
      'text',
      lines((i) => `${url(i)}\t2026-01-15`),
    ),
  ).rejects.not.toThrow(advice);
});

test.each([
  ['XML', (i: number) => `${url(i)}</loc>`],
  ['HTML', (i: number) => `${url(i)}">Title</a>`],
  ['JSON', (i: number) => `${url(i)}",`],
])('URLs that were cut out of %s with what stands behind them are refused', async (_, rowOf) => {
  await expect(readForm('text', lines(rowOf), 7)).rejects.toThrow('has a quote or markup behind its URL');
  const mixed = `${lines(rowOf)}\n${url(9)}`;
  expect((await readForm('text', mixed)).flatMap(({ violations }) => violations)).toEqual([]);
});

const several = (of: string[]) => of.map((path) => `https://shop.example.com${path}`);

test.each([
  ['without anything between them, as curl -d sends a list', several(['/p/1', '/p/2', '/p/3']).join('')],
  ['that end in slashes', several(['/1/', '/2/', '/3/']).join('')],
  ['of the host alone', several(['', '', '']).join(',')],
  ['with blanks between them', several(['/p/1', '/p/2']).join(' ')],
  ['with commas between them', several(['/p/1', '/p/2']).join(',')],
  ['in upper case', several(['/p/1', '/P/2']).join(';').toUpperCase()],
])('a line with several URLs %s is refused', async (_, line) => {
  for (const text of [line, `${line}\n`, `${line}\n${line}\n`]) {
    await expect(readForm('text', text, 7)).rejects.toThrow(
      'has several URLs: put each on a line of its own',
    );
  }
});

test.each([
  'https://archive.example.org/web/2026/https://archive.example.org/',
  'https://example.com/go?to=https://example.com/a',
  'https://example.com/go#https://example.com/a',
  'https://example.com/see,https://example.com.au/',
  'https://example.com/see,https://example.org/',
])('a URL with another one in it is a URL: %s', async (loc) => {
  expect(await readForm('text', `${loc}\n`, 7)).toMatchObject([{ value: { loc }, violations: [] }]);
});

test.each(['', 'loc\n'])('so are rows of a table in CSV of one column: %j', async (header) => {
  const rows = lines((i) => `${url(i)}|2026-01-15 10:00:00.123+00`);
  const query = header === '' ? { header: 'false', columns: 'loc' } : {};
  const skip = header === '' ? '' : 'skipLines=1&';
  const advice = `looks like a row of a table, not like a URL: send it as text/csv with ${skip}header=false&delimiter=pipe`;
  await expect(readForm('csv', header + rows, 7, query)).rejects.toThrow(advice);
});

test.each([
  ['commas and numbers', (i: number) => `${url(i)},${i}`],
  ['vertical bars in URLs', (i: number) => `${url(i)}|red`],
  ['semicolons', (i: number) => `${url(i)};jsessionid=${i}`],
  ['dates in paths', (i: number) => `https://blog.example.com/2026/01/15/${i}`],
  ['dates at the end of paths', () => 'https://blog.example.com/2026-01-15'],
])('URLs with %s are URLs', async (_, rowOf) => {
  const records = await readForm('text', lines(rowOf, 120));
  expect(records.flatMap(({ violations }) => violations)).toEqual([]);
  expect(records[7]!.value).toEqual({ loc: rowOf(7) });
});

test('one URL among the first hundred makes it a list of URLs', async () => {
  const rows = Array.from({ length: 99 }, (_, i) => `${url(i)}|2026-01-15`);
  expect(await batchesOf('text', [...rows, url(99)].join('\n'))).toHaveLength(1);
  await refused([...rows, `${url(99)}|`, url(100)].join('\n'));
});

test('any rows of URLs and dates are refused, whatever separates them', async () => {
  const cell = fc.oneof(
    fc
      .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.nat().map(String),
    fc.constantFrom('', 't', 'f', '\\N', 'NULL', '0.80'),
  );
  const text = fc.stringMatching(/^[a-zA-Z ]{0,8}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('|', '\t'),
      fc.array(fc.tuple(fc.webPath(), cell, text), { minLength: 1, maxLength: 200 }),
      async (separator, rows) => {
        await refused(
          rows
            .map(([path, ...cells]) =>
              [`https://a.example/${path.replaceAll('|', '')}`, ...cells].join(separator),
            )
            .join('\n'),
        );
      },
    ),
  );
});

test('text in UTF-16 without a byte order mark is refused with the parameter that helps', async () => {
  for (const text of ['loc\n']) {
    const swapped = Buffer.from(text, 'utf16le').swap16();
    for (const body of [Buffer.from(text, 'utf16le'), swapped]) {
      await expect(batchesOf('csv', body)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('add charset=utf-16'),
      });
    }
  }
});
