/** What the caches of hosting hold ÷ what they count, when they are full of files of 300 bytes: the worst case. */
import { fillCaches, KINDS } from '../../test/hosting/filled-caches.ts';
import type { Figure } from '../figures.ts';

export async function* memoryOfCaches(): AsyncGenerator<Figure, void, undefined> {
  for (const kind of KINDS) {
    const { counted, external, heap } = await fillCaches(kind);
    const what = `caches full of ${kind} of 300 bytes`;
    yield {
      name: `${what}: external ÷ counted`,
      value: external / counted,
      unit: 'x',
      goal: { atMost: 1.15 },
    };
    yield { name: '  with the heap', value: (external + heap) / counted, unit: 'x', goal: { atMost: 1.15 } };
  }
}
