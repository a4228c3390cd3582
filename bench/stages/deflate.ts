/** Deflates the XML of fragments by the kernel, and by zlib at several levels. Compares speed and size. */
import { constants, deflateRawSync } from 'node:zlib';
import type { Figure } from '../figures.ts';
import { rates, stageSeconds } from './rates.ts';
import { compression, readFragments, totalBytes, workloads, xmlOf } from './workloads.ts';

const LEVELS = [1, 2, 3, 4, 6];

export async function* benchDeflate(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const workload of workloads(scale)) {
    const { name, urls } = workload;
    const fragments = await readFragments(workload);
    const pieces = fragments.map(xmlOf);
    const amount = { urls, bytes: totalBytes(pieces) };
    const ratio = (deflated: number) => ({
      name: '  XML ÷ deflated',
      value: amount.bytes / deflated,
      unit: 'x',
    });
    yield* rates(`${name}: XML to pieces, CRC included`, amount, await compression(pieces));
    yield ratio(totalBytes(fragments.map(({ deflated }) => deflated)));
    for (const level of LEVELS) {
      let deflated = 0;
      const deflateAll = () => {
        deflated = totalBytes(pieces.map((piece) => deflateAt(level, piece)));
      };
      yield* rates(`${name}: zlib alone, level ${level}`, amount, await stageSeconds(deflateAll));
      yield ratio(deflated);
    }
  }
}

function deflateAt(level: number, bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
}
