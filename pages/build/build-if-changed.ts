/** Builds the pages before a start, unless the last build is newer than all files of `SOURCES`. */
import { glob, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SOURCES } from './sources.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = 'pages/dist/index.html';

async function changedAt(path: string): Promise<number> {
  return (await stat(PROJECT + path)).mtimeMs;
}

async function isUpToDate(): Promise<boolean> {
  const builtAt = await changedAt(BUILT).catch(() => 0);
  for await (const path of glob(SOURCES, { cwd: PROJECT, exclude: ['pages/dist/**'] })) {
    if ((await changedAt(path)) > builtAt) return false;
  }
  return true;
}

if (!(await isUpToDate())) {
  const { build } = await import('vite');
  await build({ configFile: `${PROJECT}pages/vite.config.ts`, logLevel: 'warn' });
}
