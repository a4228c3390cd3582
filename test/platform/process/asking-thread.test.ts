import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('a thread that is stopped while it makes streams of zlib does not end its process', async () => {
  const program = fileURLToPath(new URL('threads/stop-often.ts', import.meta.url));
  const { stderr } = await promisify(execFile)(process.execPath, [program, '20']);
  expect(stderr).toBe('');
});
