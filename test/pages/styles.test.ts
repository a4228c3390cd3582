/** Parts stand in pages of any kind, so what they look like must not depend on the page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PAGES = join(import.meta.dirname, '../../pages');
const read = (path: string) => readFileSync(join(PAGES, path), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);

test('the style of each part and of the shell is loaded with the first file', () => {
  const first = new Set(namesIn(read('main.tsx'), /\.\/(style\/[\w-]+\.css)/g));
  const styled = (paths: Iterable<string>) =>
    new Set([...paths].flatMap((path) => namesIn(read(path), /\.([a-z][\w-]*)/g)));
  const [always, anywhere] = [styled(first), styled(globSync('style/*.css', { cwd: PAGES }))];
  const used = globSync('{parts,shell}/**/*.tsx', { cwd: PAGES }).flatMap((path) =>
    namesIn(read(path), /class="([^"]+)"/g).flatMap((names) => names.split(' ')),
  );
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((name) => anywhere.has(name) && !always.has(name))).toEqual([]);
});
