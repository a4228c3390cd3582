import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactly, WrongLength } from '../../../src/edges/hosting/answer/send-answer.ts';

async function* chunksOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

test('a body of the promised length passes through in any chunking', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary-ascii' })), async (texts) => {
      const text = texts.join('');
      const received = Readable.from(exactly(chunksOf(...texts), text.length));
      expect(Buffer.concat(await received.toArray()).toString()).toBe(text);
    }),
  );
});

test.each([
  ['shorter', ['abc', 'def'], 7],
  ['longer', ['abc', 'def'], 5],
])(
  'a source that is %s than promised fails before the last promised byte is out',
  async (_, texts, bytes) => {
    let received = 0;
    const read = async () => {
      for await (const chunk of exactly(chunksOf(...texts), bytes)) received += chunk.length;
    };
    await expect(read()).rejects.toThrow(WrongLength);
    expect(received).toBeLessThan(bytes);
  },
);

test('a source that fails after its last byte stays incomplete', async () => {
  async function* source() {
    yield* chunksOf('abc', 'def');
    throw new Error('incorrect data check');
  }
  const received: string[] = [];
  const read = async () => {
    for await (const chunk of exactly(source(), 6)) received.push(chunk.toString());
  };
  await expect(read()).rejects.toThrow('incorrect data check');
  expect(received).toEqual(['abc']);
});
