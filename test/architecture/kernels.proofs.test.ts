/** The WebAssembly is committed, so nobody needs the compiler. Each module is compared with its source. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildKernel, KERNELS } from '../../tools/build-kernels.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

test('every module has a source', () => {
  expect(KERNELS.map(({ wasm }) => wasm).sort()).toEqual(globSync('src/**/*.wasm').sort());
});

test.each(KERNELS)('$wasm is the output of $entries', async (kernel) => {
  const outFile = join(await createTemporaryFolder(), 'kernel.wasm');
  await buildKernel(kernel, outFile);
  const committed = await readFile(kernel.wasm);
  expect(committed.equals(await readFile(outFile)), 'npm run build:kernels writes it; commit that').toBe(
    true,
  );
});
