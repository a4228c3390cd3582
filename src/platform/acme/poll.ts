/**
 * Asks a server again and again until it has decided. The pauses grow, and none is shorter than the server wants. A deadline ends the
 * wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { AcmeError } from './acme-error.ts';

export interface PollOptions {
  readonly deadlineMs: number;
  /** The signal that ends the wait. Then the call throws the signal's reason. */
  readonly signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** Returns the first answer with a decision. Throws AcmeError (`unavailable`) if no decision comes before the deadline. */
export async function pollUntilDecided<Answer extends { readonly retryAfterMs?: number | undefined }>(
  ask: () => Promise<Answer>,
  isDecided: (answer: Answer) => boolean,
  { deadlineMs, signal }: PollOptions,
): Promise<Answer> {
  const endsAt = performance.now() + deadlineMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (isDecided(answer)) return answer;
    const waitMs = Math.max(pauseMs, answer.retryAfterMs ?? 0);
    if (performance.now() + waitMs > endsAt) {
      const detail = `the server has not decided within ${deadlineMs} ms`;
      throw new AcmeError('wait for the server', {
        ...({ kind: 'unavailable', detail, retryAfterMs: waitMs } as const),
        isUndecided: true,
      });
    }
    // The top of the loop throws the reason of an abort.
    await delay(waitMs, undefined, signal && { signal }).catch(() => {});
  }
}
