import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkLastLine, untilEndLine, wholeLines } from '../../../client/src/input/whole-lines.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { inChunks } from '../support/input-of.ts';

const folder = await createTemporaryFolder();

test.for([
  ['', true],
  ['a\n', true],
  ['a\r\n', true],
  ['a', false],
  ['a\nb', false],
] as const)('%j ends with a whole line: %j', async ([content, isWhole]) => {
  const path = join(folder, 'input');
  await writeFile(path, content);
  const passed = () => buffer(wholeLines(inChunks(Buffer.from(content), 1), 'input'));
  if (isWhole) {
    await checkLastLine(path);
    expect((await passed()).toString()).toBe(content);
  } else {
    await expect(checkLastLine(path)).rejects.toThrow('ends in the middle of a line');
    await expect(passed()).rejects.toThrow('input ends in the middle of a line');
  }
});

test.each([
  ['\ufeffloc\r\na\r\n', undefined, true],
  ['loc\r\na\r\n', 'utf-16le', true],
  ['\ufeffloc\r\na', undefined, false],
  // The last byte is a line feed, but the last character is not.
  ['loc\r\n\u0a61', 'utf-16le', false],
])('in UTF-16, %j with %j ends with a whole line: %j', async (text, charset, isWhole) => {
  const content = Buffer.from(text, 'utf16le');
  const path = join(folder, 'utf-16');
  await writeFile(path, content);
  const ends = async (checked: Promise<unknown>) =>
    checked.then(
      () => true,
      () => false,
    );
  expect(await ends(checkLastLine(path, charset))).toBe(isWhole);
  for (const size of [1, 3, 100])
    expect(await ends(buffer(wholeLines(inChunks(content, size), 'input', charset)))).toBe(isWhole);
});

test('the end line is looked for and left out, in any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[a-z#]{0,8}$/), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('', '\n', '\r\n'),
      async (lines, size, end) => {
        const content = lines.map((line) => `${line}\n`).join('');
        const source = inChunks(Buffer.from(`${content}#end${end}`), size);
        expect((await buffer(untilEndLine(source, '#end', 'input'))).toString()).toBe(content);
      },
    ),
  );
});

test.for(['', 'a\n', 'a#end\n', '#end\na\n', '#end\n\n', '#en'])('%j has no end line', async (content) => {
  const source = inChunks(Buffer.from(content), 2);
  await expect(buffer(untilEndLine(source, '#end', 'input'))).rejects.toThrow(
    'input does not end with the line “#end”',
  );
});
