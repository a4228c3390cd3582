/** Uploads a list with few changes in another order, so that only files with a change are written: what that takes beside an upload in order. */
import { startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { measureUpload } from './unchanged.ts';
import { plainEntries, shuffledPlainEntries } from './upload-body.ts';

const ROUNDS = 2;
const ENTRIES = 10_000_000;
/** One entry of so many has changed. */
const EDITS = [
  { every: 10_000, label: 'one in 10,000 changed', atMost: 1.5 },
  { every: 100, label: '1 % changed', atMost: 2 },
];

export async function* benchPlacement(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  const inOrder = plainEntries(urls);
  await using waypost = await startBenchWaypost();
  const published: { coreSeconds: number[]; seconds: number[] } = { coreSeconds: [], seconds: [] };
  const figures: Figure[] = [];
  const parts: { label: string; atMost: number; coreSeconds: number; seconds: number }[] = [];
  for (const { every, label, atMost } of EDITS) {
    const changed = shuffledPlainEntries(urls, every);
    const placed: { coreSeconds: number[]; seconds: number[] } = { coreSeconds: [], seconds: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const before = await measureUpload(waypost, inOrder, { placement: 'order' });
      published.coreSeconds.push(before.coreSeconds);
      published.seconds.push(before.seconds);
      const { answer, coreSeconds, seconds } = await measureUpload(waypost, changed, {});
      if (answer.placement !== 'stable') throw new Error(`not placed: ${answer.placementReason}`);
      placed.coreSeconds.push(coreSeconds);
      placed.seconds.push(seconds);
      const name = `${label}: files that changed, of ${answer.filesGenerated}`;
      if (round === 0) figures.push({ name, value: answer.filesChanged, unit: 'files' });
    }
    parts.push({ label, atMost, coreSeconds: median(placed.coreSeconds), seconds: median(placed.seconds) });
  }
  const [coreSeconds, seconds] = [median(published.coreSeconds), median(published.seconds)];
  yield { name: `${urls.toLocaleString('en-US')} entries, in order`, value: coreSeconds, unit: 'core-s' };
  yield { name: '… until the answer', value: seconds, unit: 's' };
  yield* figures;
  for (const part of parts) {
    yield { name: `in another order, ${part.label}, placed`, value: part.coreSeconds, unit: 'core-s' };
    const goal = { atMost: part.atMost };
    yield { name: '… ÷ in order', value: part.coreSeconds / coreSeconds, unit: 'x', goal };
    yield { name: '… until the answer ÷ in order', value: part.seconds / seconds, unit: 'x', goal };
  }
  const peak = await waypost.peakMemoryBytes();
  if (peak !== undefined) yield { name: 'peak memory', value: peak / 1e6, unit: 'MB', goal: { atMost: 350 } };
}
