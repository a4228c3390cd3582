/** Lets calls within a short time go on together, so that they share one statement of a group (`grouped-calls.ts`). */
import { setTimeout as delay } from 'node:timers/promises';

/** Returns a function whose promises resolve at once for all calls within `ms` after the first of them. */
export function together(ms: number): () => Promise<void> {
  let next: Promise<void> | undefined;
  return () => {
    next ??= delay(ms).then(() => {
      next = undefined;
    });
    return next;
  };
}
