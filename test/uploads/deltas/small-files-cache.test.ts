import { expect, test } from 'vitest';
import { SmallFilesCache } from '../../../src/features/uploads/deltas/small-files-cache.ts';

test('a file is known by its upload and its number, and the files that were unused for the longest time go first', () => {
  const files = new SmallFilesCache();
  const content = Buffer.alloc(16 * 1024, 1);
  files.add('upload_1', 1, content);
  expect(files.get('upload_1', 1)).toEqual(content);
  expect(files.get('upload_1', 11)).toBeUndefined();
  expect(files.get('upload_11', 1)).toBeUndefined();
  for (let n = 1; n <= 256; n++) {
    files.add('upload_2', n, content);
    files.get('upload_1', 1);
  }
  expect(files.get('upload_1', 1)).toEqual(content);
  expect(files.get('upload_2', 1)).toBeUndefined();
  expect(files.get('upload_2', 256)).toEqual(content);
});

test('a file keeps no larger buffer in memory, of which it was a slice', () => {
  const files = new SmallFilesCache();
  files.add('upload_1', 1, Buffer.alloc(64 * 1024, 1).subarray(100, 200));
  const kept = files.get('upload_1', 1)!;
  expect(kept).toEqual(Buffer.alloc(100, 1));
  expect(kept.buffer.byteLength).toBe(100);
});
