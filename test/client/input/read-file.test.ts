import { appendFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readFile, unchangedFile } from '../../../client/src/input/read-file.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const folder = await createTemporaryFolder();
const path = join(folder, 'urls.txt');
/** More than one read. */
const content = Buffer.from('https://www.example.com/\n'.repeat(40_000));

test.for([
  ['cut', () => truncate(path, 0)],
  ['longer', () => appendFile(path, content)],
  ['written again, with as many bytes', () => writeFile(path, content.toReversed())],
] as const)('a file that is %s while it is read is refused', async ([, write]) => {
  await writeFile(path, content);
  const read = await unchangedFile(path);
  const pieces = read();
  await pieces.next();
  await write();
  await expect(buffer(pieces)).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining(path),
  });
  // The next attempt would send another list.
  await expect(buffer(read())).rejects.toThrow('somebody has written to it meanwhile');
});

test('a file that another one replaces is read to its end', async () => {
  await writeFile(path, content);
  const pieces = (await unchangedFile(path))();
  const { value } = await pieces.next();
  await writeFile(join(folder, 'new'), 'https://www.example.org/\n');
  await rename(join(folder, 'new'), path);
  expect(Buffer.concat([value!, await buffer(pieces)]).equals(content)).toBe(true);
});

test('another attempt does not read the file that has taken its place', async () => {
  await writeFile(path, content);
  const read = await unchangedFile(path);
  await writeFile(join(folder, 'new'), content);
  await rename(join(folder, 'new'), path);
  await expect(buffer(read())).rejects.toThrow('another file has taken its place');
});

test('a compressed file is decompressed, any number of times', async () => {
  await writeFile(path, gzipSync(content));
  const read = await unchangedFile(path, 'gzip');
  for (const _ of [1, 2]) expect((await buffer(read())).equals(content)).toBe(true);
});

test('a folder is no file', async () => {
  await expect(unchangedFile(folder)).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

test('the reason why a file cannot be read is in words, and that of a cut one is not taken for one of the disk', async () => {
  await expect(buffer(readFile(join(folder, 'none')))).rejects.toThrow(/: no such file or directory$/);
  await expect(buffer(readFile('https://www.example.com/urls.csv'))).rejects.toThrow(/: waypost load$/);
  await expect(buffer(readFile(folder))).rejects.toThrow(/: illegal operation on a directory$/);
  await writeFile(path, gzipSync(content).subarray(0, -20));
  await expect(buffer(readFile(path, 'gzip'))).rejects.toThrow(/: unexpected end of file$/);
});
