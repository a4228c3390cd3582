import { expect, test } from 'vitest';
import { GenerationFiles } from '../../../src/features/uploads/deltas/generation-files.ts';
import type { GenerationFile } from '../../../src/features/uploads/live-file-store.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';

const key = (sitemapName: string) => ({ domainId: 'domain_1', sitemapName });
const generation = (id: string, fileCount: number) => ({
  ...{ id, fileCount, seq: 1, urlCount: fileCount, bytes: 1, gzipBytes: 1, print: null },
});
const filesOf = (uploadId: string, count: number): GenerationFile[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ n: i + 1, uploadN: i + 1, uploadId, entries: 1, bytes: 1, gzipBytes: 1, etag: `"${i}"` },
  }));

/** A database without files, and how often it was asked. */
function emptyDatabase() {
  const asked = { times: 0 };
  const query = async () => {
    asked.times++;
    return { rows: [], rowCount: 0 };
  };
  return { asked, queryable: { query } as unknown as Queryable };
}

test('the newest generation of each sitemap is known, and no other one', async () => {
  const { asked, queryable } = emptyDatabase();
  const files = new GenerationFiles();
  files.add(key('a'), 'upload_1', filesOf('upload_1', 2));
  files.add(key('b'), 'upload_2', filesOf('upload_2', 3));
  files.add(key('a'), 'upload_3', filesOf('upload_3', 4));
  const idsOf = async (name: string, id: string, count: number) =>
    (await files.list(queryable, key(name), generation(id, count)))?.map(({ uploadId }) => uploadId);
  expect(await idsOf('a', 'upload_3', 4)).toEqual(Array(4).fill('upload_3'));
  expect(await idsOf('b', 'upload_2', 3)).toEqual(Array(3).fill('upload_2'));
  expect(asked.times).toBe(0);
  expect(await idsOf('a', 'upload_1', 2)).toBeUndefined();
  expect(asked.times).toBe(1);
});

test('of too many files, those of the sitemaps go that were added first', async () => {
  const { asked, queryable } = emptyDatabase();
  const files = new GenerationFiles();
  for (const name of ['a', 'b', 'a', 'c', 'c']) files.add(key(name), `upload_${name}`, filesOf('x', 40_000));
  for (const name of ['a', 'c']) {
    expect(await files.list(queryable, key(name), generation(`upload_${name}`, 40_000))).toHaveLength(40_000);
  }
  expect(asked.times).toBe(0);
  expect(await files.list(queryable, key('b'), generation('upload_b', 40_000))).toBeUndefined();
});
