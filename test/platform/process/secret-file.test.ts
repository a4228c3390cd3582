import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { secretFile } from '../../../src/platform/process/secret-file.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const folder = await createTemporaryFolder();

test('a secret is made once, and stays', async () => {
  const path = join(folder, 'made');
  const made = (await secretFile(path)).reveal();
  expect(await readFile(path, 'utf8')).toBe(`${made}\n`);
  expect((await secretFile(path)).reveal()).toBe(made);
});

test('all who make a secret at once get the same one', async () => {
  const path = join(folder, 'raced');
  const made = await Promise.all(Array.from({ length: 10 }, () => secretFile(path)));
  expect(new Set(made.map((secret) => secret.reveal()))).toEqual(
    new Set([(await readFile(path, 'utf8')).trim()]),
  );
  expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('.new'));
});

test('a secret that cannot be read is not replaced by a new one', async () => {
  // No user can read a folder as a file. Root can read each file.
  const path = join(folder, 'unreadable');
  await mkdir(path);
  await expect(secretFile(path)).rejects.toThrow(ConfigError);
  await expect(secretFile(path)).rejects.toThrow(/unreadable cannot be read \(EISDIR\)/);
});

test('line ends around a secret do not count', async () => {
  const path = join(folder, 'edited');
  await writeFile(path, 'secret\r\n');
  expect((await secretFile(path)).reveal()).toBe('secret');
});
