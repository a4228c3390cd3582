/** The library inside of programs that a bundler makes one file of, as functions in clouds are. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { API_KEY, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED } from './support/published.ts';

const server = await startFakeWaypost();

test.each(['cjs', 'es'] as const)('works in one file of the form %s', async (format) => {
  const outDir = await createTemporaryFolder();
  const output = { format, entryFileNames: 'program.js' };
  await build({
    ...{ root: PROJECT, configFile: false, logLevel: 'silent' },
    build: { ssr: 'client/src/client.ts', outDir, rollupOptions: { output } },
  });
  const file = join(outDir, 'program.js');
  const { Waypost } = format === 'cjs' ? createRequire(import.meta.url)(file) : await import(file);
  server.play(async (_seen, request) => {
    await request.whole();
    return { data: PUBLISHED };
  });
  const waypost = new Waypost({ url: server.url, apiKey: API_KEY });
  const entries = [{ loc: 'https://www.example.com/' }];
  expect(await waypost.upload('maps.example.com', entries)).toEqual(PUBLISHED);
});
