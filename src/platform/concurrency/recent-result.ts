import { steadyNow } from '../steady-clock.ts';

/**
 * Shares the result of one call with all callers that come during the call, or within `forMs` after its beginning. With `restFactor`, the
 * result lasts at least that many times the duration of the call, from the beginning of the call. So slow calls do not follow each other
 * without a pause.
 */
export function recentResult<Result>(
  call: () => Promise<Result>,
  { forMs, restFactor = 0, now = steadyNow }: { forMs: number; restFactor?: number; now?: () => number },
): () => Promise<Result> {
  let latest: Promise<Result> | undefined;
  let isUnderWay = false;
  let freshUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest !== undefined && (isUnderWay || now() < freshUntil)) return latest;
    const startedAt = now();
    freshUntil = startedAt + forMs;
    isUnderWay = true;
    const end = () => {
      isUnderWay = false;
      freshUntil = Math.max(freshUntil, startedAt + restFactor * (now() - startedAt));
    };
    latest = call();
    latest.then(end, end);
    return latest;
  };
}
