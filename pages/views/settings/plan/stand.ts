/** Tells how near a meter is to its limit. */
import type { Meter } from '../../../../src/edges/dashboard/wire.ts';

/** The share of the limit from which the page warns. */
export const NEAR = 0.8;

export interface Stand {
  readonly tone: 'waiting' | 'bad';
  readonly word: string;
}

/** Undefined while there is room. */
export function standOf({ used, limit }: Pick<Meter, 'used' | 'limit'>): Stand | undefined {
  if (used > limit) return { tone: 'bad', word: 'Over the limit' };
  if (used === limit) return { tone: 'bad', word: 'At the limit' };
  if (used >= limit * NEAR) return { tone: 'waiting', word: 'Near the limit' };
  return undefined;
}
