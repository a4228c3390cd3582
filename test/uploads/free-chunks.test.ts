/** Chunks of a body are freed when they are read. */
import { expect, test } from 'vitest';
import { freeChunks } from '../../src/features/uploads/free-chunks.ts';

const own = () => new Uint8Array(64 * 1024).fill(7);

/** Returns the lengths of all chunks after each read, and at the end. */
async function lengthsAfterReads(chunks: readonly Uint8Array[]): Promise<number[][]> {
  const lengths: number[][] = [];
  const note = () => lengths.push(chunks.map(({ length }) => length));
  async function* body() {
    yield* chunks;
  }
  for await (const chunk of freeChunks(body())) {
    expect(chunk.every((byte) => byte === 7)).toBe(true);
    note();
  }
  note();
  return lengths;
}

test('a chunk is freed when the next one is asked for', async () => {
  expect(await lengthsAfterReads([own(), own()])).toEqual([
    [65_536, 65_536],
    [0, 65_536],
    [0, 0],
  ]);
});

test('a view of something larger stays, as a small Buffer in the pool of Node', async () => {
  const [view, pooled] = [own().subarray(1), Buffer.allocUnsafe(100).fill(7)];
  expect((await lengthsAfterReads([view, pooled])).at(-1)).toEqual([65_535, 100]);
});

test('a reader that stops early has its chunk', async () => {
  const chunk = own();
  async function* body() {
    yield chunk;
  }
  for await (const _ of freeChunks(body())) break;
  expect(chunk.length).toBe(65_536);
});
