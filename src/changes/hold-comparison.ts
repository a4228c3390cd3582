/** Renews the lease of a comparison. `signal` aborts the work when the lease is lost, or when another upload is live. */
import { repeat } from '../platform/concurrency/repeat.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type DueComparison, renewComparison } from './due-comparison-store.ts';

/** Three renewals fit into half of a lease. */
const RENEW_EVERY_MS = 10_000;
/** Less than a lease: a process out of reach stops before another one begins. */
const MAX_SILENCE_MS = 45_000;

/** The comparison is somebody else's, its upload was replaced, or its sitemap is gone. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

export interface HeldComparison extends AsyncDisposable {
  readonly signal: AbortSignal;
}

export function holdComparison(database: Database, due: DueComparison): HeldComparison {
  const lost = new AbortController();
  let renewedAt = performance.now();
  const renew = async () => {
    const beganAt = performance.now();
    // An outage may be short.
    const isOurs = await renewComparison(database, due).catch(() => undefined);
    if (isOurs) renewedAt = beganAt;
    else if (isOurs === false || performance.now() - renewedAt > MAX_SILENCE_MS)
      lost.abort(new Overtaken('the comparison is out of date'));
  };
  const renewals = repeat(renew, RENEW_EVERY_MS);
  return {
    signal: lost.signal,
    [Symbol.asyncDispose]: () => renewals.stop(),
  };
}
