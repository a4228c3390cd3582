import { execFileSync } from 'node:child_process';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  deflateLastPiece,
  deflatePiece,
  GZIP_HEADER_BYTES,
  stitchGzip,
} from '../../../src/platform/gzip/gzip-member.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

/** RFC 1952: CRC-32 and length. */
const TRAILER_BYTES = 8;

function stitched(texts: readonly Uint8Array[]): Buffer {
  const pieces = [...texts.slice(0, -1).map((text) => deflatePiece(text)), deflateLastPiece(texts.at(-1)!)];
  return Buffer.concat(stitchGzip(pieces));
}

const piece = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ maxLength: 50 }).map((text) => Buffer.from(text.repeat(40))),
);
const pieces = fc.array(piece, { minLength: 1, maxLength: 6 });

test('any pieces gunzip to their concatenation', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      expect(gunzipSync(stitched(texts)).equals(Buffer.concat(texts))).toBe(true);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any pieces make one member: one deflate stream fills it from header to trailer', () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const member = stitched(texts);
      const stream = member.subarray(GZIP_HEADER_BYTES, -TRAILER_BYTES);
      // `info` gives the engine too, which knows where the final block ended.
      const { engine } = inflateRawSync(stream, { info: true }) as unknown as {
        engine: { bytesWritten: number };
      };
      expect(engine.bytesWritten).toBe(stream.length);
      const whole = Buffer.concat(texts);
      expect(member.readUInt32LE(member.length - 8)).toBe(crc32(whole));
      expect(member.readUInt32LE(member.length - 4)).toBe(whole.length);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test("the system's gzip accepts the result", () => {
  const texts = Array.from({ length: 300 }, (_, i) => Buffer.from(`<url>${i}</url>\n`.repeat(i)));
  const member = stitched(texts);
  const options = { input: member, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'pipe'] as 'pipe'[] };
  execFileSync('gzip', ['--test', '--verbose'], options);
  expect(execFileSync('gzip', ['--decompress', '--stdout'], options).equals(Buffer.concat(texts))).toBe(true);
});

test('the same pieces give the same bytes: the header has no time and no name', () => {
  const texts = [Buffer.from('a'), Buffer.from('b')];
  expect(stitched(texts)).toEqual(stitched(texts));
  expect([...stitched(texts).subarray(3, 8)]).toEqual([0, 0, 0, 0, 0]);
});
