import { expect, test } from 'vitest';
import { defaultRenderThreads } from '../../src/core/config/render-threads.ts';

const GiB = 1024 ** 3;

test.each([
  ['a core each, where the memory is large', 64, 256 * GiB, 64],
  ['as many as fit into a container of 2 GiB on 64 cores', 64, 2 * GiB, 16],
  ['one, however small the memory is', 8, GiB / 16, 1],
])('%s', (_, cores, memory, threads) => {
  expect(defaultRenderThreads(cores, memory)).toBe(threads);
});
