import { steadyNow } from '../steady-clock.ts';

/** Shares one call's result: with all who ask while it is under way, or within `forMs` after it began. */
export function recentResult<Result>(
  call: () => Promise<Result>,
  { forMs, now = steadyNow }: { forMs: number; now?: () => number },
): () => Promise<Result> {
  let latest: Promise<Result> | undefined;
  let isUnderWay = false;
  let freshUntil = Number.NEGATIVE_INFINITY;
  const end = () => {
    isUnderWay = false;
  };
  return () => {
    if (latest !== undefined && (isUnderWay || now() < freshUntil)) return latest;
    freshUntil = now() + forMs;
    isUnderWay = true;
    latest = call();
    latest.then(end, end);
    return latest;
  };
}
