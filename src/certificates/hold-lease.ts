/**
 * Renews the lease of a certificate while a process works on it. When the renewals stop, the process died or cannot reach
 * the database, and another one may take over: then `signal` aborts the work.
 */
import { repeat } from '../platform/concurrency/repeat.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { CertificateWork } from './certificate.ts';
import { endLease, renewLease } from './certificate-store.ts';
import { LeaseLost } from './issuer.ts';

/** Three renewals fit into a lease. */
const RENEW_EVERY_MS = 8_000;

export interface HeldLease extends AsyncDisposable {
  readonly signal: AbortSignal;
}

export function holdLease(database: Database, work: Pick<CertificateWork, 'domainId' | 'fence'>): HeldLease {
  const lost = new AbortController();
  const renewals = repeat(async () => {
    await renewLease(database, work).catch((error) => {
      // An outage may be short. The next change says whether the lease is still ours.
      if (error instanceof LeaseLost) lost.abort(error);
    });
  }, RENEW_EVERY_MS);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      await renewals.stop();
      // If this fails, the lease ends by itself.
      await endLease(database, work).catch(() => {});
    },
  };
}
