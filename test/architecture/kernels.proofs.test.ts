/** The WebAssembly is committed, so nobody needs the compiler. Each module is compared with its source. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const configs = globSync('src/**/asconfig.json');

test('every module has a source', () => {
  expect(configs.map(dirname).sort()).toEqual(globSync('src/**/*.wasm').map(dirname).sort());
});

test.each(configs)('the module is the output of %s', async (config) => {
  const outFile = join(await createTemporaryFolder(), 'kernel.wasm');
  const { error, stderr } = await asc.main(['--config', config, '--outFile', outFile]);
  expect(error, stderr.toString()).toBeNull();
  const { options } = JSON.parse(await readFile(config, 'utf8'));
  const committed = await readFile(join(dirname(config), options.outFile));
  expect(committed.equals(await readFile(outFile)), 'npm run build:kernels writes it; commit that').toBe(
    true,
  );
});
