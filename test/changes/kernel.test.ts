/** The compiled kernel is committed, so nobody needs the compiler. This test compares it with its source. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const CONFIG = 'src/changes/change-kernel/asconfig.json';

test('change-kernel.wasm is the output of its source', async () => {
  const outFile = join(await createTemporaryFolder(), 'change-kernel.wasm');
  const { error, stderr } = await asc.main(['--config', CONFIG, '--outFile', outFile]);
  expect(error, stderr.toString()).toBeNull();
  const committed = await readFile(
    new URL('../../src/changes/change-kernel/change-kernel.wasm', import.meta.url),
  );
  expect(
    committed.equals(await readFile(outFile)),
    'run `npm run build:kernels` and commit what it writes',
  ).toBe(true);
});
