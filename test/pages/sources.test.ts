/** A change of any module that the pages load causes a build of the pages. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { SOURCES } from '../../pages/build/sources.ts';
import { PROJECT, reachOf } from '../architecture/import-graph.ts';

test('the sources of a build have all modules of the service that the pages import', () => {
  const pages = globSync('pages/**/*.{ts,tsx}', {
    cwd: PROJECT,
    exclude: ['pages/dist/**', 'pages/build/**', 'pages/vite.config.ts'],
  });
  const loaded = pages.flatMap((page) => {
    const text = readFileSync(join(PROJECT, page), 'utf8');
    const imports = text.matchAll(/^import (?!type )[^;]*? from '([./]+\/src\/[^']+)';/gms);
    return [...imports].map(([, path]) => join(dirname(page), path!));
  });
  expect(loaded).toContain('src/core/sitemap/file-names.ts');
  const files = new Set(loaded.flatMap((module) => reachOf(module).files));
  expect([...files].filter((file) => !SOURCES.some((glob) => matchesGlob(file, glob)))).toEqual([]);
});
