/** Waits for the end of a load. */
import { setTimeout as delay } from 'node:timers/promises';
import type { UploadAttempt } from '../answers.ts';

export interface WaitOptions {
  /** Called after each look at the attempt. */
  readonly onProgress?: ((load: UploadAttempt) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The longest pause between two looks. Default 15 s. Each look is a request, which counts for the plan. */
  readonly pollMs?: number | undefined;
}

const FIRST_MS = 500;
const GROWTH = 1.5;

/** Makes the pauses between looks, in ms. */
export function* pausesBetweenLooks(longestMs = 15_000): Generator<number, never> {
  for (let ms = Math.min(FIRST_MS, longestMs); ; ms = Math.min(longestMs, ms * GROWTH)) yield ms;
}

/** Returns the attempt once it has ended, with any outcome. */
export async function waitForLoad(
  look: () => Promise<UploadAttempt>,
  { onProgress = () => {}, signal, pollMs }: WaitOptions,
): Promise<UploadAttempt> {
  const pauses = pausesBetweenLooks(pollMs);
  for (;;) {
    const attempt = await look();
    onProgress(attempt);
    if (attempt.outcome !== 'running') return attempt;
    await delay(pauses.next().value, undefined, { signal }).catch((error) => {
      throw signal?.reason ?? error;
    });
  }
}
