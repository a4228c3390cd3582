/** Repeats a request that may succeed later: after 1, 2, 4 … 60 s, with jitter, or after Retry-After. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WaypostError } from '../waypost-error.ts';
import { SourceFailure } from './source-failure.ts';
import { translateFailure } from './translate-failure.ts';

export interface Retry {
  readonly error: WaypostError;
  /** From 1. */
  readonly attempt: number;
  readonly delayMs: number;
}

export interface RetryOptions {
  /**
   * The most attempts after the first one. The default is 6. The waits between them are 32 to 63 s in all, unless a server asks for longer
   * ones.
   */
  readonly retries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

export const DEFAULT_RETRIES = 6;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** If a server asks for a longer wait, the request fails at once. */
const MAX_RETRY_AFTER_MS = 600_000;

/** `canRepeat`: whether the request can be sent once more. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries = DEFAULT_RETRIES, signal, onRetry }: RetryOptions,
  canRepeat: () => boolean = () => true,
): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (thrown) {
      signal?.throwIfAborted();
      if (thrown instanceof SourceFailure) throw thrown.cause;
      const error = translateFailure(thrown);
      if (error === undefined) throw thrown;
      const delayMs = delayBefore(failures, error);
      if (!error.isTemporary || failures > retries || delayMs > MAX_RETRY_AFTER_MS || !canRepeat())
        throw error;
      onRetry?.({ error, attempt: failures, delayMs });
      await wait(delayMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

function delayBefore(failures: number, { retryAfterSeconds }: WaypostError): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  const usualMs = longest * (0.5 + Math.random() / 2);
  if (retryAfterSeconds === undefined) return usualMs;
  // A wait of 0 counts once. Otherwise all attempts would be over in a moment.
  if (retryAfterSeconds === 0 && failures > 1) return usualMs;
  // A server may repeat the same short Retry-After, and attempts are few, so waits grow to ten times that time. After a crash, for example,
  // a request counts as under way for 10 s.
  const askedMs = retryAfterSeconds * 1000;
  return Math.max(askedMs, Math.min(usualMs, 10 * askedMs));
}
