/** Measures the figures on which the calculations of docs/SCALING.md are based. */
import type { Figure } from './figures.ts';
import { apiProcesses } from './scaling/api-processes.ts';
import { hostDirectory } from './scaling/host-directory.ts';
import { hostingMemory } from './scaling/hosting-memory.ts';
import { publishTime } from './scaling/publish-time.ts';

export async function* benchScaling(scale: number): AsyncGenerator<Figure, void, undefined> {
  yield* apiProcesses(scale);
  yield* publishTime(scale);
  yield* hostingMemory(scale);
  yield* hostDirectory(scale);
}
