/** The compiled kernel is committed, so nobody needs the compiler. This test compares it with its source. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

test('kernel.wasm is the output of its source', async () => {
  const outFile = join(await createTemporaryFolder(), 'kernel.wasm');
  const { error, stderr } = await asc.main([
    '--config',
    'src/sitemap/kernel/asconfig.json',
    '--outFile',
    outFile,
  ]);
  expect(error, stderr.toString()).toBeNull();
  const committed = await readFile(new URL('../../src/sitemap/kernel/kernel.wasm', import.meta.url));
  expect(
    committed.equals(await readFile(outFile)),
    'run `npm run build:kernels` and commit what it writes',
  ).toBe(true);
});
