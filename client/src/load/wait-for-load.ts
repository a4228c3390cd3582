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

/** Returns the attempt once it has ended, with any outcome. */
export async function waitForLoad(
  look: () => Promise<UploadAttempt>,
  { onProgress = () => {}, signal, pollMs = 15_000 }: WaitOptions,
): Promise<UploadAttempt> {
  for (let ms = Math.min(FIRST_MS, pollMs); ; ms = Math.min(pollMs, ms * GROWTH)) {
    const attempt = await look();
    onProgress(attempt);
    if (attempt.outcome !== 'running') return attempt;
    await delay(ms, undefined, { signal }).catch((error) => {
      throw signal?.reason ?? error;
    });
  }
}
