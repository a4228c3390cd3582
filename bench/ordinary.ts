/**
 * Measures the cost of each kind of entry that common producers write: an upload, as in `upload`, beside JSON.parse of the same body. The
 * table shows whether a slight change of plain entries makes an upload several times as long.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { jsonParseSeconds } from './json-parse-baseline.ts';
import type { EntryKind } from './ordinary/entry-kind.ts';
import { ENTRY_KINDS } from './ordinary/entry-kinds.ts';
import { scaled } from './scale.ts';
import { geometricMean, mediansInTurns } from './statistics.ts';
import { joinedTexts, uploadBody } from './upload-body.ts';

const ROUNDS = 5;
const RATIO = '÷ JSON.parse';
/** The goal for the geometric mean of all ratios. */
const MEAN_GOAL = 0.75;

interface Measured {
  readonly urls: number;
  readonly bytes: number;
  readonly uploadSeconds: number;
  readonly parseSeconds: number;
}

export async function* benchOrdinary(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  // The first upload of the process also compiles the code.
  await measure(waypost, ENTRY_KINDS[0]!, scale, 1);
  const ratios: number[] = [];
  for (const kind of ENTRY_KINDS) {
    const { urls, bytes, ...seconds } = await measure(waypost, kind, scale, ROUNDS);
    const ratio = seconds.uploadSeconds / seconds.parseSeconds;
    const row = kind.name;
    ratios.push(ratio);
    yield { row, name: 'entries', value: urls, unit: '' };
    yield { row, name: 'body', value: bytes / 1e6, unit: 'MB' };
    yield { row, name: 'throughput', value: urls / seconds.uploadSeconds, unit: 'URLs/s' };
    yield { row, name: 'upload', value: seconds.uploadSeconds, unit: 's' };
    yield { row, name: 'JSON.parse', value: seconds.parseSeconds, unit: 's' };
    yield { row, name: RATIO, value: ratio, unit: 'x', goal: { atMost: kind.ratioGoal } };
  }
  const mean = geometricMean(ratios);
  yield { row: 'geometric mean', name: RATIO, value: mean, unit: 'x', goal: { atMost: MEAN_GOAL } };
}

/** Measures a kind of entry. The body is in memory only during this call, because all bodies together have gigabytes. */
async function measure(
  waypost: WaypostProcess,
  { count, textOf }: EntryKind,
  scale: number,
  rounds: number,
): Promise<Measured> {
  const urls = scaled(count, scale);
  const entries = joinedTexts(urls, textOf);
  const file = join(waypost.dataDir, 'body.json');
  // Flush, so that the disk is idle while uploads are measured.
  await writeFile(file, uploadBody(entries), { flush: true });
  const seconds = await mediansInTurns(rounds, {
    parse: () => jsonParseSeconds(file),
    upload: () => uploadSeconds(waypost, uploadBody(entries), urls),
  });
  return { urls, bytes: entries.length, uploadSeconds: seconds.upload, parseSeconds: seconds.parse };
}
