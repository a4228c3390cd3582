import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutSlice, WrongLength } from '../../src/hosting/cut-slice.ts';

async function* chunksOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const whole = (bytes: number) => ({ slice: { offset: 0, length: bytes }, totalBytes: bytes });

test('any slice of any chunking is the slice of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary-ascii' })),
      fc.nat(),
      fc.nat(),
      async (texts, a, b) => {
        const text = texts.join('');
        const offset = a % (text.length + 1);
        const length = b % (text.length - offset + 1);
        const cut = cutSlice(chunksOf(...texts), { slice: { offset, length }, totalBytes: text.length });
        expect(Buffer.concat(await Readable.from(cut).toArray()).toString()).toBe(
          text.slice(offset, offset + length),
        );
      },
    ),
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
      for await (const chunk of cutSlice(chunksOf(...texts), whole(bytes))) received += chunk.length;
    };
    await expect(read()).rejects.toThrow(WrongLength);
    expect(received).toBeLessThan(bytes);
  },
);

test('a source that fails after its last byte leaves the slice incomplete', async () => {
  async function* source() {
    yield* chunksOf('abc', 'def');
    throw new Error('incorrect data check');
  }
  const received: string[] = [];
  const read = async () => {
    for await (const chunk of cutSlice(source(), whole(6))) received.push(chunk.toString());
  };
  await expect(read()).rejects.toThrow('incorrect data check');
  expect(received).toEqual(['abc']);
});
