/** Connects each of the counts for metrics to the room that makes it (operations/counts.ts). */
import { readExpiries } from '../features/certificates/certificate-store.ts';
import { countDueComparisons } from '../features/changes/due-comparison-store.ts';
import { countDomains } from '../features/domains/check-store.ts';
import { countPageHosts } from '../features/page-hosts/page-host-store.ts';
import { countWaiting } from '../features/submission/waiting-store.ts';
import { countWaitingDeliveries } from '../features/webhooks/delivery-store.ts';
import type { Counters } from '../operations/counts.ts';
import type { Database } from '../platform/postgres/database.ts';

export function createCounters(database: Database): Counters {
  return {
    domains: () => countDomains(database),
    certificates: () => readExpiries(database),
    comparisons: () => countDueComparisons(database),
    'page hosts': () => countPageHosts(database),
    submissions: () => countWaiting(database),
    webhooks: () => countWaitingDeliveries(database),
  };
}
