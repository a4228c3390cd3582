/** From a batch's XML to its deflated piece, at our level and at others: speed against size. */
import { constants, deflateRawSync } from 'node:zlib';
import { deflatePiece } from '../../src/platform/gzip/gzip-member.ts';
import type { Figure } from '../figures.ts';
import { rates, stageSeconds } from './rates.ts';
import { readFragments, totalBytes, workloads, xmlOf } from './workloads.ts';

const LEVELS = [1, 2, 3, 4, 6];

export async function* benchDeflate(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const workload of workloads(scale)) {
    const { name, urls } = workload;
    const pieces = (await readFragments(workload)).map(xmlOf);
    const amount = { urls, bytes: totalBytes(pieces) };
    const seconds = await stageSeconds(() => {
      for (const piece of pieces) deflatePiece(piece);
    });
    yield* rates(`${name}: XML to pieces, CRC included`, amount, seconds);
    for (const level of LEVELS) {
      let deflated = 0;
      const deflateAll = () => {
        deflated = totalBytes(pieces.map((piece) => deflateAt(level, piece)));
      };
      yield* rates(`${name}: deflate alone, level ${level}`, amount, await stageSeconds(deflateAll));
      yield { name: '  XML ÷ deflated', value: amount.bytes / deflated, unit: 'x' };
    }
  }
}

function deflateAt(level: number, bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
}
