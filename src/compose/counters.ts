/** Connects each count for metrics to the room that makes the count (operations/counts.ts). */
import { findOverdueWork } from '../core/schema/overdue-work.ts';
import { readExpiries } from '../features/certificates/certificate-store.ts';
import { countKeyMissing } from '../features/certificates/sealed-key-store.ts';
import { countDueComparisons } from '../features/changes/due-comparison-store.ts';
import { countDomains } from '../features/domains/check-store.ts';
import { countPageHosts } from '../features/page-hosts/page-host-store.ts';
import { countWaiting } from '../features/submission/waiting-store.ts';
import { countWaitingDeliveries } from '../features/webhooks/delivery-store.ts';
import type { Counters } from '../operations/counts.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import type { Database } from '../platform/postgres/database.ts';

/** Creates the counters of a process. `keys`: the keys that seal certificates; undefined if the process has none. */
export function createCounters(database: Database, keys: KeyRing | undefined): Counters {
  return {
    domains: () => countDomains(database),
    certificates: () => readExpiries(database),
    'missing keys': async () => (keys === undefined ? 0 : await countKeyMissing(database, keys)),
    comparisons: () => countDueComparisons(database),
    'page hosts': () => countPageHosts(database),
    submissions: () => countWaiting(database),
    webhooks: () => countWaitingDeliveries(database),
    work: () => findOverdueWork(database),
  };
}
