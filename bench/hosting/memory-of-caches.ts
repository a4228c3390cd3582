/** Measures the memory of hosting's caches ÷ the bytes that they count. The worst case is caches full of files of 300 bytes. */
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
