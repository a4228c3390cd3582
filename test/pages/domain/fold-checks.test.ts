import { expect, test } from 'vitest';
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { foldChecks } from '../../../pages/views/domain/fold-checks.ts';

const first = { line: 6, index: 4, field: 'loc', value: 'www.x', message: 'must be an absolute URL' };
const REFUSED = {
  ...{ id: 'upload_refused', outcome: 'refused', sitemapName: 'women', userId: 'user_a', form: 'csv' },
  ...{ encoding: null, startedAt: '2026-01-15T10:00:00Z', errors: [first], errorCount: 1 },
} as unknown as UploadAttempt;
const CHECK: UploadAttempt = {
  ...{ ...REFUSED, id: 'upload_check', outcome: 'dry_run', startedAt: '2026-01-15T10:00:01Z' },
  ...{ errors: [first, { ...first, line: 9 }], errorCount: 2 },
};
const of = (...rows: UploadAttempt[]) => foldChecks(rows, false).map(({ id, outcome }) => `${outcome} ${id}`);

test('a refusal and the check of its file are one row, with all mistakes', () => {
  const other = { ...REFUSED, id: 'upload_other', outcome: 'published', userId: null } as UploadAttempt;
  expect(foldChecks([other, CHECK, other, REFUSED], false)).toEqual([
    other,
    { ...CHECK, outcome: 'refused', startedAt: REFUSED.startedAt },
    other,
  ]);
});

test('a check of another file, sitemap or person, of a program, and one that a person asked for are rows of their own', () => {
  const alone = ['dry_run upload_check', 'refused upload_refused'];
  expect(of({ ...CHECK, errors: [{ ...first, value: 'www.y' }] }, REFUSED)).toEqual(alone);
  expect(of({ ...CHECK, sitemapName: 'men' }, REFUSED)).toEqual(alone);
  expect(of({ ...CHECK, userId: 'user_b' }, REFUSED)).toEqual(alone);
  expect(of({ ...CHECK, userId: null }, { ...REFUSED, userId: null })).toEqual(alone);
  expect(of({ ...CHECK, errors: [] }, REFUSED)).toEqual(alone);
  const asked = { ...CHECK, id: 'upload_asked' };
  expect(of(asked, CHECK, REFUSED)).toEqual(['dry_run upload_asked', 'refused upload_check']);
});

test('a check waits for the next page, where its refusal may be', () => {
  expect(foldChecks([REFUSED, CHECK], true)).toEqual([REFUSED]);
  expect(of(REFUSED, CHECK)).toEqual(['refused upload_refused', 'dry_run upload_check']);
});
