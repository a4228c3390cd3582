import { type FileHandle, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Spool } from '../../../client/src/input/spool.ts';
import { inChunks } from '../support/input-of.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const content = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));

async function take(source: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
  let taken = 0;
  for await (const chunk of source) {
    taken += chunk.length;
    if (taken >= bytes) break;
  }
}

test('what was read once can be read again, wherever the attempts before ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: content.length }), { maxLength: 4 }),
      fc.integer({ min: 100, max: 2000 }),
      async (attempts, size) => {
        const spool = new Spool(inChunks(content, size), () => {});
        for (const bytes of attempts) await take(spool.open(), bytes);
        expect(spool.canOpen()).toBe(true);
        expect((await buffer(spool.open())).equals(content)).toBe(true);
        await spool.close();
      },
    ),
  );
});

test('an attempt that still waits for the source takes nothing from the next one', async () => {
  const go = Promise.withResolvers<void>();
  async function* slow() {
    yield content.subarray(0, 10);
    await go.promise;
    yield content.subarray(10);
  }
  const spool = new Spool(slow(), () => {});
  const lost = spool.open();
  await lost.next();
  const waiting = lost.next();
  const whole = buffer(spool.open());
  go.resolve();
  expect((await whole).equals(content)).toBe(true);
  await waiting;
  await spool.close();
});

test('a source that fails, fails every attempt', async () => {
  async function* failing() {
    yield content;
    throw new Error('The producer died.');
  }
  const spool = new Spool(failing(), () => {});
  await expect(buffer(spool.open())).rejects.toThrow('The producer died.');
  await expect(buffer(spool.open())).rejects.toThrow('The producer died.');
  await spool.close();
});

test('without room for the file the stream goes on, once', async () => {
  vi.stubEnv('TMPDIR', '/nonexistent');
  const onFull = vi.fn();
  const spool = new Spool(inChunks(content, 100), onFull);
  expect((await buffer(spool.open())).equals(content)).toBe(true);
  expect(onFull).toHaveBeenCalledOnce();
  expect(spool.canOpen()).toBe(false);
});

test('a disk that takes only a part of a piece is full', async () => {
  await using file = await open('/dev/null');
  const prototype: FileHandle = Object.getPrototypeOf(file);
  vi.spyOn(prototype, 'write').mockResolvedValueOnce({ bytesWritten: 99, buffer: '' });
  const onFull = vi.fn();
  const spool = new Spool(inChunks(content, 100), onFull);
  expect((await buffer(spool.open())).equals(content)).toBe(true);
  expect(onFull).toHaveBeenCalledOnce();
  expect(spool.canOpen()).toBe(false);
  await spool.close();
});
