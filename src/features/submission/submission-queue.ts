/** The queue of page hosts with something to submit (`core/jobs/start-working-off.ts`). */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { type HostWork, takeHosts } from './host-store.ts';
import { type HostOptions, workOnHost } from './work-on-host.ts';

/** The page hosts at work at once. They wait for answers nearly all the time. */
const HOSTS_AT_ONCE = 10;
/** The pause between two requests for a host: with 10,000 URLs in each, 300,000 URLs a minute. */
const PAUSE_MS = 2000;

export function createSubmissionQueue(options: Omit<HostOptions, 'pauseMs'>): WorkQueue<HostWork> {
  return {
    name: 'indexnow',
    atOnce: HOSTS_AT_ONCE,
    take: (limit) => takeHosts(options.database, limit),
    work: (host, signal) => workOnHost({ ...options, pauseMs: PAUSE_MS }, host, signal),
  };
}
