/** A folder for one test file, removed when the file ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
