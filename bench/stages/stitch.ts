/** Joins fragments to gzip files with their digests, by cutFiles. */
import { ENTRIES_PER_FILE, type SizeLimit } from '../../src/core/sitemap/limits.ts';
import type { Figure } from '../figures.ts';
import { rates, stageSeconds } from './rates.ts';
import { cutInto, readFragments, totalBytes, workloads } from './workloads.ts';

export async function* benchStitch(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const workload of workloads(scale)) {
    const fragments = await readFragments(workload);
    const amount = { urls: workload.urls, bytes: totalBytes(fragments.map(({ deflated }) => deflated)) };
    for (const sizeLimit of Object.keys(ENTRIES_PER_FILE) as SizeLimit[]) {
      const seconds = await stageSeconds(() => cutInto(sizeLimit, fragments));
      yield* rates(`${workload.name}: fragments to files, ${sizeLimit}`, amount, seconds);
    }
  }
}
