/** The metrics of the queues of a jobs process: how attempts end, and what is due. Every jobs process reports all that is due. */
import { EXPIRY_DAYS } from '../features/certificates/certificate.ts';
import { CHANGE_KINDS } from '../features/changes/comparison.ts';
import type { ReportComparison } from '../features/changes/work-on-comparison.ts';
import type { OverdueChecks } from '../features/domains/check-store.ts';
import { DOMAIN_STATUSES } from '../features/domains/domain.ts';
import { PAGE_HOST_STATES } from '../features/page-hosts/page-host.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, histogramOf, LONG_BUCKETS, type Metrics } from './registry.ts';

const LOOK_EVERY_MS = 5_000;
const OF_ALL = 'every jobs process reports all of them';

/** Returns the function to call for each attempt. */
export function createCertificateMetrics(
  metrics: Metrics,
  count: ReadCount<'certificates'>,
  readMissing: ReadCount<'missing keys'>,
) {
  exposeGauge(metrics, 'waypost_certificates_expiring', {
    help: 'Certificates in use that expire within so many days',
    labelNames: ['days'],
    async read() {
      const counted = await count();
      return counted && EXPIRY_DAYS.map((days, i) => [{ days }, counted.within[i] ?? 0] as const);
    },
  });
  exposeMembers(metrics, count, {
    leastDays: [
      'waypost_certificate_days_left',
      'Days until the first certificate in use expires; absent without certificates',
    ],
    late: [
      'waypost_certificates_late',
      'Certificates in use that expire within a week and within a quarter of their lifetime, so they could not be renewed',
    ],
    failing: ['waypost_certificates_failing', 'Domains whose last attempt to get a certificate failed'],
  });
  exposeGauge(metrics, 'waypost_certificates_key_missing', {
    help: 'Certificates whose private key was sealed with a key that CERTIFICATE_KEYS of the jobs lacks',
    read: readMissing,
  });
  const help = 'Attempts to get a certificate, by how they ended';
  return countBy(metrics, 'waypost_certificate_attempts_total', 'outcome', help);
}

/** Returns the function to call after each attempt to compare two uploads. */
export function createChangeMetrics(metrics: Metrics, count: ReadCount<'comparisons'>): ReportComparison {
  const attempts = histogramOf(metrics, 'waypost_comparison_duration_seconds', {
    help: 'Comparisons of an upload with the one that it replaced, by how they ended',
    labelNames: ['outcome'],
    buckets: [0.01, ...LONG_BUCKETS],
  });
  const help = 'URLs that comparisons found added, changed or removed';
  const urls = countBy(metrics, 'waypost_changed_urls_total', 'change', help);
  exposeMembers(metrics, count, {
    due: ['waypost_comparisons_due', `Comparisons that are due or under way; ${OF_ALL}`],
    oldestSeconds: [
      'waypost_comparisons_oldest_due_seconds',
      'Time since the upload that has waited longest for its comparison',
    ],
  });
  return (outcome, seconds, counts) => {
    attempts.observe({ outcome }, seconds);
    if (counts !== undefined) for (const change of CHANGE_KINDS) urls(change, counts[change]);
  };
}

/** Returns the function to call after each check of the DNS records of a domain. */
export function createDomainMetrics(
  metrics: Metrics,
  count: ReadCount<'domains'>,
  findOverdue: () => Promise<OverdueChecks>,
) {
  let last: OverdueChecks | undefined;
  const recentOverdue = recentResult(
    async () => {
      // If the database is down, the last value stays.
      last = await findOverdue().catch(() => last);
      return last;
    },
    { forMs: LOOK_EVERY_MS },
  );
  exposeEach(metrics, 'waypost_domains', 'status', `Domains by status; ${OF_ALL}`, count, DOMAIN_STATUSES);
  const overdue =
    'For how long the longest overdue check of DNS records has been due; doubted: of domains whose last answer was wrong';
  exposeEach(metrics, 'waypost_domain_checks_overdue_seconds', 'kind', overdue, recentOverdue);
  const help = 'Repeated checks of the DNS records of served domains, by verdict; unknown: lookups failed';
  return countBy(metrics, 'waypost_domain_checks_total', 'verdict', help);
}

/** Returns the function to call after each check of the robots.txt of a page host. */
export function createPageHostMetrics(metrics: Metrics, count: ReadCount<'page hosts'>) {
  const states = `Hosts of pages in sitemaps, by what their robots.txt says; ${OF_ALL}`;
  exposeEach(metrics, 'waypost_page_hosts', 'state', states, count, PAGE_HOST_STATES);
  const help = 'Checks of robots.txt of the hosts of pages, by what they found';
  return countBy(metrics, 'waypost_page_host_checks_total', 'outcome', help);
}

/** Returns the function to call for each request of a submission, and for batches that end without a request. */
export function createSubmissionMetrics(
  metrics: Metrics,
  count: ReadCount<'submissions'>,
): (outcome: string, urlCount: number) => void {
  exposeMembers(metrics, count, {
    batches: ['waypost_indexnow_waiting_batches', `Batches of changed URLs that wait; ${OF_ALL}`],
    urls: ['waypost_indexnow_waiting_urls', `Changed URLs that wait; ${OF_ALL}`],
    unverifiedHosts: [
      'waypost_indexnow_unverified_hosts',
      `Page hosts with waiting URLs and no key file; ${OF_ALL}`,
    ],
    overdueSeconds: [
      'waypost_indexnow_overdue_seconds',
      `For how long the page host that is due longest has been due; ${OF_ALL}`,
    ],
  });
  const ends = 'by what became of them';
  const [batches, urls] = [
    countBy(metrics, 'waypost_indexnow_batches_total', 'outcome', `Batches of changed URLs, ${ends}`),
    countBy(metrics, 'waypost_indexnow_urls_total', 'outcome', `Changed URLs, ${ends}`),
  ];
  return (outcome, urlCount) => {
    batches(outcome);
    urls(outcome, urlCount);
  };
}

/** Returns the function to call after each attempt to deliver an event. */
export function createWebhookMetrics(metrics: Metrics, count: ReadCount<'webhooks'>) {
  exposeMembers(metrics, count, {
    count: ['waypost_webhook_deliveries_waiting', `Deliveries that wait for their next attempt; ${OF_ALL}`],
    overdueSeconds: [
      'waypost_webhook_deliveries_overdue_seconds',
      'For how long the webhook that waits longest has waited for its turn',
    ],
    disabledEndpoints: ['waypost_webhooks_disabled', 'Webhooks that are disabled'],
  });
  const help = 'Attempts to deliver an event, by how they ended; failed: tried again';
  return countBy(metrics, 'waypost_webhook_attempts_total', 'outcome', help);
}

/** Returns the function to call after each attempt to hand a mail to the server. */
export function createMailMetrics(metrics: Metrics) {
  const help = 'Attempts to hand a mail to the server, by how they ended; failed: tried again';
  return countBy(metrics, 'waypost_mail_attempts_total', 'outcome', help);
}

/** Exposes the age of the oldest due work in each queue. A queue can stand still without a failure. */
export function createWorkMetrics(metrics: Metrics, count: ReadCount<'work'>): void {
  const help = 'For how long the oldest due work of a kind has waited; every jobs process reports all of it';
  exposeEach(metrics, 'waypost_work_overdue_seconds', 'work', help, count);
}

/** Exposes members of a count, each with the name and the help of its gauge. Null is no value. */
function exposeMembers<Name extends string>(
  metrics: Metrics,
  count: () => Promise<Readonly<Record<NoInfer<Name>, number | null>> | undefined>,
  gauges: Readonly<Record<Name, readonly [name: string, help: string]>>,
): void {
  for (const [member, [name, help]] of Object.entries<readonly [string, string]>(gauges)) {
    exposeGauge(metrics, name, { help, read: async () => (await count())?.[member as Name] ?? undefined });
  }
}

/** Exposes a number for each value of a label: for all `values`, or else for those that are counted. */
function exposeEach(
  metrics: Metrics,
  name: string,
  label: string,
  help: string,
  count: () => Promise<object | undefined>,
  values?: readonly string[],
): void {
  exposeGauge(metrics, name, {
    ...{ help, labelNames: [label] },
    async read() {
      const counts = (await count()) as Readonly<Record<string, number>> | undefined;
      const shown = counts && (values ?? Object.keys(counts));
      return shown?.map((value) => [{ [label]: value }, counts![value] ?? 0] as const);
    },
  });
}
