import { expect, test } from 'vitest';
import { kindOf } from '../../../pages/views/sitemap/generation-kind.ts';

test.for([
  [{ kind: 'upload', restores: null }, 'Upload'],
  [{ kind: 'delta', restores: null }, 'Partial update'],
  [{ kind: 'rollback', restores: 12 }, 'Roll back to 12'],
  [{ kind: 'rollback', restores: null }, 'Roll back to a former one'],
] as const)('a generation %j is called %j', ([generation, words]) => {
  expect(kindOf(generation)).toBe(words);
});
