/** Each test file is in the tier of what it uses. */
import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { QUICK } from '../support/needs.ts';
import { ALL_TIERS, filesOf, TIERS, type Tier } from '../tiers.ts';
import { reachOf } from './import-graph.ts';

const files = globSync('test/**/*.test.ts');

function tiersOf(file: string): Tier[] {
  return ALL_TIERS.filter((tier) => {
    const { include, exclude } = filesOf(tier);
    const matches = (patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern));
    return matches(include) && !matches(exclude);
  });
}

/** The lowest tier that has all that the file uses. */
function neededBy(file: string): Tier {
  const { files: reached, importedBy } = reachOf(file);
  const needs = [...readFileSync(file, 'utf8').matchAll(/needs\(([^)]*)\)/g)].flatMap(([, names]) =>
    Array.from(names!.matchAll(/(['"])(.+?)\1/g), ([, , name]) => name!),
  );
  if (needs.some((name) => !QUICK.has(name))) return 'peers';
  if (reached.includes('test/service/support/processes.ts')) return 'service';
  const startsPostgres = importedBy.get('src/platform/postgres/embedded-postgres.ts') === file;
  return startsPostgres || reached.includes('test/support/borrow.ts') ? 'stores' : 'unit';
}

test('every file is in one tier, and a word before .test.ts is a tier', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => tiersOf(file).length !== 1)).toEqual([]);
  const words = new Set(files.map((file) => /\.([a-z]+)\.test\.ts$/.exec(file)?.[1]));
  expect([...words].filter((word) => word !== undefined && !Object.hasOwn(TIERS, word))).toEqual([]);
});

test.for(ALL_TIERS.filter((tier) => tier !== 'proofs'))(
  'the files of %s use what it has, and none could be in a tier before it',
  (tier) => {
    const own = files.filter((file) => tiersOf(file).includes(tier));
    expect(own.length).toBeGreaterThan(0);
    expect(own.map((file) => `${neededBy(file)} ${file}`)).toEqual(own.map((file) => `${tier} ${file}`));
  },
);

test('no support module has a hook of its own: files of one worker share it (test/support/end-of-file.ts)', () => {
  const modules = globSync('test/**/*.ts').filter((file) => !/\.(test|sweep|fault)\.ts$/.test(file));
  const hooked = modules.filter((file) => /^(before|after)(Each|All)\(/m.test(readFileSync(file, 'utf8')));
  expect(hooked).toEqual(['test/support/no-leaks.ts']);
});
