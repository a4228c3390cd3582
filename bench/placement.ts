/**
 * Uploads a list with few changes in another order, so that only files with a change are written. Compares the time with that of an upload
 * in order.
 */
import { startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { measureBody, measureUpload } from './unchanged.ts';
import {
  plainEntries,
  plainEntry,
  shuffledPlainEntries,
  shuffledPlainEntry,
  uploadBodyOf,
} from './upload-body.ts';

const ROUNDS = 2;
const ENTRIES = 10_000_000;
interface Edit {
  readonly label: string;
  readonly hasChanged: (n: number, urls: number) => boolean;
  readonly placement: 'stable' | 'order';
  readonly atMost: number;
}
const EDITS: readonly Edit[] = [
  {
    label: '1,000 in 10 million changed, in a tenth of the list',
    hasChanged: (n, urls) => n % 1000 === 0 && n >= 0.9 * urls,
    placement: 'stable',
    atMost: 1.5,
  },
  {
    label: '1 % changed, in half of the list',
    hasChanged: (n, urls) => n % 50 === 0 && n >= urls / 2,
    placement: 'stable',
    atMost: 2,
  },
  {
    label: '1,000 in 10 million changed, in all files',
    hasChanged: (n) => n % 10_000 === 0,
    placement: 'order',
    atMost: 1.5,
  },
];

export async function* benchPlacement(scale: number): AsyncGenerator<Figure, void, undefined> {
  yield* benchTenMillion(scale);
  yield* benchThirtyMillion(scale);
}

async function* benchTenMillion(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  const inOrder = plainEntries(urls);
  await using waypost = await startBenchWaypost();
  const published: { coreSeconds: number[]; seconds: number[] } = { coreSeconds: [], seconds: [] };
  const figures: Figure[] = [];
  const parts: { label: string; atMost: number; coreSeconds: number; seconds: number }[] = [];
  for (const { hasChanged, label, placement, atMost } of EDITS) {
    const changed = shuffledPlainEntries(urls, (n) => hasChanged(n, urls));
    const placed: { coreSeconds: number[]; seconds: number[] } = { coreSeconds: [], seconds: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const before = await measureUpload(waypost, inOrder, { placement: 'order' });
      published.coreSeconds.push(before.coreSeconds);
      published.seconds.push(before.seconds);
      const { answer, coreSeconds, seconds } = await measureUpload(waypost, changed, {});
      if (answer.placement !== placement) throw new Error(`${label}: ${answer.placementReason}`);
      placed.coreSeconds.push(coreSeconds);
      placed.seconds.push(seconds);
      if (round > 0) continue;
      const name = `${label}: files that changed, of ${answer.filesGenerated}`;
      figures.push({ name, value: answer.filesChanged, unit: 'files' });
    }
    parts.push({ label, atMost, coreSeconds: median(placed.coreSeconds), seconds: median(placed.seconds) });
  }
  const [coreSeconds, seconds] = [median(published.coreSeconds), median(published.seconds)];
  yield { name: `${urls.toLocaleString('en-US')} entries, in order`, value: coreSeconds, unit: 'core-s' };
  yield { name: '… until the answer', value: seconds, unit: 's' };
  yield* figures;
  for (const part of parts) {
    yield { name: `in another order, ${part.label}`, value: part.coreSeconds, unit: 'core-s' };
    const goal = { atMost: part.atMost };
    yield { name: '… ÷ in order', value: part.coreSeconds / coreSeconds, unit: 'x', goal };
    yield { name: '… until the answer ÷ in order', value: part.seconds / seconds, unit: 'x', goal };
  }
  const peak = await waypost.peakMemoryBytes();
  if (peak !== undefined) yield { name: 'peak memory', value: peak / 1e6, unit: 'MB', goal: { atMost: 350 } };
}

/** Measures a list of three times the length with as many changes, all in a tenth of the list. The process is fresh. */
async function* benchThirtyMillion(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(3 * ENTRIES, scale);
  await using waypost = await startBenchWaypost();
  const inOrder = await measureBody(waypost, uploadBodyOf(urls, plainEntry, {}));
  const edited = shuffledPlainEntry(urls, (n) => n % 3000 === 0 && n >= 0.9 * urls);
  const placed = await measureBody(waypost, uploadBodyOf(urls, edited, { members: { force: false } }));
  const { answer } = placed;
  if (answer.placement !== 'stable') throw new Error(`${urls} entries: ${answer.placementReason}`);
  const count = urls.toLocaleString('en-US');
  const name = `${count} entries in another order, 1,000 changed`;
  yield {
    name: `${name}: files that changed, of ${answer.filesGenerated}`,
    value: answer.filesChanged,
    unit: 'files',
  };
  const goal = { atMost: 1.5 };
  yield { name: '… ÷ in order', value: placed.coreSeconds / inOrder.coreSeconds, unit: 'x', goal };
  const peak = await waypost.peakMemoryBytes();
  if (peak !== undefined)
    yield { name: '… peak memory', value: peak / 1e6, unit: 'MB', goal: { atMost: 350 } };
}
