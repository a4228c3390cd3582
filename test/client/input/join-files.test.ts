import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinFiles } from '../../../client/src/input/join-files.ts';
import { inChunks } from '../support/input-of.ts';

const part = (content: string, size = 7, name = 'a.csv') => ({
  name,
  read: () => inChunks(Buffer.from(content), size),
});

async function joined(
  contents: readonly string[],
  isCsv: boolean,
  size?: number,
  skipLines = 0,
  hasHeader = true,
  hasQuotes = true,
): Promise<string> {
  const parts = contents.map((content, index) => part(content, size, `${index}.csv`));
  return (await buffer(joinFiles(parts, isCsv ? { hasHeader, hasQuotes, skipLines } : undefined))).toString();
}

test('lines of any files are the lines of one, in any chunks', async () => {
  const lines = fc.array(fc.stringMatching(/^[a-zäöü€,]{1,12}$/), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(lines, fc.boolean()), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (files, size) => {
        const contents = files.map(
          ([all, hasEnd]) => all.join('\n') + (hasEnd && all.length > 0 ? '\n' : ''),
        );
        const expected = files.flatMap(([all]) => all.map((line) => `${line}\n`)).join('');
        expect(await joined(contents, false, size)).toBe(expected);
      },
    ),
  );
});

test('later headers of CSV are dropped, in any chunks', async () => {
  const row = fc.stringMatching(/^[a-z,]{1,9}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('\n', '\r\n'),
      async (files, size, end) => {
        const header = `loc,"last\nmod"${end}`;
        const contents = files.map((rows) => header + rows.map((one) => one + end).join(''));
        const expected = header + files.flatMap((rows) => rows.map((one) => one + end)).join('');
        expect(await joined(contents, true, size)).toBe(expected);
      },
    ),
  );
});

test('byte order marks of later files are dropped', async () => {
  expect(await joined(['\ufeffa\n', '\ufeffb\n', 'c'], false, 1)).toBe('\ufeffa\nb\nc\n');
  expect(await joined(['\ufeffloc\na\n', '\ufeffloc\nb\n', 'loc\nc\n'], true, 2)).toBe(
    '\ufeffloc\na\nb\nc\n',
  );
});

test('what stands before later headers and first records is dropped, in any chunks', async () => {
  for (let size = 1; size < 30; size++) {
    expect(await joined(['Report 1\n"\nloc\na\n', 'Report 2\n\nloc\nb'], true, size, 2)).toBe(
      'Report 1\n"\nloc\na\nb\n',
    );
    const named = [
      'sep=;\r\nloc;title\r\na;1\r\n',
      '\ufeff"sep=;"\r\n\r\nloc;title\r\nb;2\r\n',
      'loc;title\nc;3\n',
    ];
    expect(await joined(named, true, size)).toBe('sep=;\r\nloc;title\r\na;1\r\nb;2\r\nc;3\n');
  }
  for (let size = 1; size < 20; size++) {
    expect(await joined(['Report 1\na,27"\n', '\ufeffReport 2\nb,28"\nc,"\n'], true, size, 1, false)).toBe(
      'Report 1\na,27"\nb,28"\nc,"\n',
    );
  }
  await expect(joined(['Report\nloc\na\n', 'Report\n'], true, 3, 1)).rejects.toThrow('1.csv has no header.');
});

test('a different header is refused with the names of both files', async () => {
  await expect(joined(['loc\na\n', 'loc,lastmod\nb,\n'], true)).rejects.toThrow(
    'The header of 1.csv differs from that of 0.csv.',
  );
});

test('a quote in a header is text if quotes are', async () => {
  const files = ['loc\t27" name\na\t1\n', 'loc\t27" name\nb\t2\n'];
  expect(await joined(files, true, 1, 0, true, false)).toBe('loc\t27" name\na\t1\nb\t2\n');
});

test('an empty CSV file is refused', async () => {
  await expect(joined(['loc\na\n', ''], true)).rejects.toThrow('1.csv has no header.');
});

test('a header without an end is refused', async () => {
  const endless = `"${'a'.repeat(2 * 1024 * 1024)}`;
  await expect(
    buffer(joinFiles([part(endless, 65536)], { hasHeader: true, hasQuotes: true, skipLines: 0 })),
  ).rejects.toThrow('The header of a.csv has no end.');
});
