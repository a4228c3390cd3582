/** How each of the counts for metrics is made (operations/counts.ts). */
import { readExpiries } from '../certificates/certificate-store.ts';
import { countDueComparisons } from '../changes/due-comparison-store.ts';
import { countDomains } from '../domains/check-store.ts';
import type { Counters } from '../operations/counts.ts';
import { countPageHosts } from '../page-hosts/page-host-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { countWaiting } from '../submission/waiting-store.ts';
import { countWaitingDeliveries } from '../webhooks/delivery-store.ts';

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
