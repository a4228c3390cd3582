import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decompressBody, type Encoding } from '../../src/core/web/decompress-body.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const MiB = 1024 * 1024;
const MAX_BYTES = 64 * MiB;

const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const WRITERS: Readonly<Record<Encoding, (text: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  zstd: (text) => zstdCompressSync(text, checked),
  br: brotliCompressSync,
};
const ENCODINGS = Object.keys(WRITERS) as Encoding[];

async function* inChunks(body: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield body.subarray(at, at + size);
    at += size;
  }
}

async function decompressed(
  encoding: Encoding,
  body: Uint8Array,
  sizes: readonly number[] = [65_536],
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of decompressBody(inChunks(body, sizes), encoding, MAX_BYTES)) parts.push(part);
  return Buffer.concat(parts);
}

async function refusal(encoding: Encoding, body: Uint8Array, sizes?: readonly number[]): Promise<Refusal> {
  const error = await decompressed(encoding, body, sizes).then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error;
}

const numbers = Buffer.from(Array.from({ length: 50_000 }, (_, i) => `https://example.com/${i}\n`).join(''));
const skippable = (content: Uint8Array, kind = 0x50) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from([kind, 0x2a, 0x4d, 0x18]), size, content]);
};

test.each(ENCODINGS)('a %s body is the same in chunks of any size', async (encoding) => {
  const body = WRITERS[encoding](numbers.subarray(0, 20_000));
  for (const sizes of [[1], [2, 3], [64], [body.length]]) {
    expect((await decompressed(encoding, body, sizes)).equals(numbers.subarray(0, 20_000))).toBe(true);
  }
});

const chunkSizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
const parts = fc.array(fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.constant(new Uint8Array(0))), {
  minLength: 1,
  maxLength: 12,
});

test.each(['gzip', 'zstd'] as const)(
  'no %s member or frame of many is lost, in any chunks',
  async (encoding) => {
    await fc.assert(
      fc.asyncProperty(parts, chunkSizes, fc.boolean(), async (texts, sizes, isWhole) => {
        const body = Buffer.concat(texts.map(WRITERS[encoding]));
        const text = await decompressed(encoding, body, isWhole ? [body.length] : sizes);
        expect(text.equals(Buffer.concat(texts))).toBe(true);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  },
);

test('zeros behind gzip members are ignored, in any chunks, as gzip ignores them', async () => {
  await fc.assert(
    fc.asyncProperty(parts, chunkSizes, fc.integer({ min: 1, max: 600 }), async (texts, sizes, zeros) => {
      const body = Buffer.concat([...texts.map(WRITERS.gzip), Buffer.alloc(zeros)]);
      const text = await decompressed('gzip', body, sizes);
      expect(text.equals(Buffer.concat(texts))).toBe(true);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each([
  ['text', (body: Buffer) => body.fill(0xff, 200, 220)],
  ['checksum', (body: Buffer) => body.fill(0, body.length - 8, body.length - 4)],
])('a gzip body with damaged %s is refused', async (_what, damage) => {
  expect(await refusal('gzip', damage(gzipSync(numbers)))).toMatchObject({ code: 'BAD_REQUEST' });
});

describe('zstd', () => {
  const variants: readonly ((text: Uint8Array) => Buffer)[] = [
    zstdCompressSync,
    WRITERS.zstd,
    (text) => zstdCompressSync(text, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } }),
    (text) => zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
    // Blocks of one repeated byte, and blocks that do not compress.
    (text) => zstdCompressSync(Buffer.concat([text, Buffer.alloc(20_000, 'a')])),
  ];
  const written = (text: Uint8Array, variant: number) =>
    variant === 4 ? Buffer.concat([text, Buffer.alloc(20_000, 'a')]) : Buffer.from(text);

  test('frames of every kind, and skippable ones between them, are read in any chunks', async () => {
    const frame = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(variants.length - 1), fc.boolean());
    const sizes = fc.oneof(
      fc.constant([1_000_000]),
      fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), sizes, async (frames, chunks) => {
        const body = frames.flatMap(([text, variant, isSkipped]) => [
          ...(isSkipped ? [skippable(text, 0x50 + variant)] : []),
          variants[variant]!(text),
        ]);
        const expected = Buffer.concat(frames.map(([text, variant]) => written(text, variant)));
        expect((await decompressed('zstd', Buffer.concat(body), chunks)).equals(expected)).toBe(true);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('a frame of many blocks is read byte by byte', async () => {
    const body = zstdCompressSync(numbers.subarray(0, 400_000));
    expect((await decompressed('zstd', Buffer.concat([body, skippable(body), body]), [1])).length).toBe(
      800_000,
    );
  });

  test('a frame that needs more than 8 MiB of memory is refused, and one of 8 MiB is not', async () => {
    const window = (log: number) => ({ params: { [constants.ZSTD_c_windowLog]: log } });
    const text = randomBytes(9 * MiB);
    expect((await decompressed('zstd', zstdCompressSync(text, window(23)))).length).toBe(9 * MiB);
    expect(await refusal('zstd', zstdCompressSync(text, window(24)))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('window of more than 8 MiB'),
    });
  });

  test.each([
    [
      'a skippable frame that is cut short',
      Buffer.concat([zstdCompressSync('a'), skippable(numbers).subarray(0, 50)]),
    ],
    ['nothing but a skippable frame', skippable(numbers)],
    ['a cut magic number', Buffer.concat([zstdCompressSync('a'), zstdCompressSync('b').subarray(0, 3)])],
    ['a frame that refers to a dictionary', withDictionary(zstdCompressSync('abc'.repeat(100)))],
  ])('%s is refused', async (_what, body) => {
    expect(await refusal('zstd', body)).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

/** Frame_Header_Descriptor, Window_Descriptor or content size, then the id: with a flag for one byte of id. */
function withDictionary(frame: Buffer): Buffer {
  const changed = Buffer.concat([frame.subarray(0, 5), Buffer.from([7]), frame.subarray(5)]);
  changed[4]! |= 1;
  return changed;
}

describe.each(ENCODINGS)('%s', (encoding) => {
  const body = WRITERS[encoding](numbers);

  test.each([
    ['cut in the middle', body.subarray(0, body.length / 2)],
    ['cut before its last byte', body.subarray(0, -1)],
    ['empty', body.subarray(0, 0)],
    ['not compressed', numbers.subarray(0, 1_000)],
    ['followed by other text', Buffer.concat([body, Buffer.from('https://example.com/lost\n')])],
    ['followed by zeros, and by more of it', Buffer.concat([body, Buffer.alloc(9), body])],
    ['cut, and followed by zeros', Buffer.concat([body.subarray(0, -9), Buffer.alloc(500)])],
  ])('a body that is %s is refused, in any chunks', async (_what, bytes) => {
    for (const sizes of [[bytes.length || 1], [1_000], [body.length], [body.length - 3, 1]]) {
      expect(await refusal(encoding, bytes, sizes)).toMatchObject({
        code: 'BAD_REQUEST',
        message: `The request body is not valid: its ${encoding} compression is damaged or cut short.`,
      });
    }
  });

  test('a bomb ends at a ratio of 200 to 1', async () => {
    const bomb = WRITERS[encoding](Buffer.alloc(64 * MiB));
    let bytes = 0;
    const read = async () => {
      for await (const chunk of decompressBody(inChunks(bomb, [65_536]), encoding, 1024 * MiB))
        bytes += chunk.length;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The request body is compressed more than 200 to 1.',
    });
    expect(bytes).toBeLessThanOrEqual(Math.max(MiB, 200 * bomb.length) + 65_536);
  });

  test('a body that is too large when decompressed ends at the limit', async () => {
    let bytes = 0;
    const read = async () => {
      for await (const chunk of decompressBody(inChunks(body, [65_536]), encoding, 500_000))
        bytes += chunk.length;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The request body is larger than 500000 bytes when decompressed.',
    });
    expect(bytes).toBeLessThanOrEqual(500_000);
  });

  test('an error of the source is passed on', async () => {
    async function* broken() {
      yield body.subarray(0, 100);
      throw new Error('gone');
    }
    const read = async () => {
      for await (const _ of decompressBody(broken(), encoding, MAX_BYTES));
    };
    await expect(read()).rejects.toThrow('gone');
  });
});
