/** The whole examination: what of the database, the object storage and the jobs does not fit together. */
import { listStuckJobs } from '../platform/job-queue.ts';
import { type ComparisonParts, compareObjects, MAX_FINDINGS } from './compare-objects.ts';
import { listOverdueGarbage } from './doctor-store.ts';
import { examineHosts } from './examine-hosts.ts';
import { examineSite, examineSites } from './examine-sites.ts';
import type { Finding } from './finding.ts';

export interface Examined {
  readonly sites: number;
  readonly objects: number;
}

/** Of everything, or of one domain alone. May run beside all other processes; changes nothing. */
export async function* examine(parts: ComparisonParts, hostname?: string): AsyncGenerator<Finding, Examined> {
  let sites = 1;
  if (hostname === undefined) sites = yield* examineSites(parts);
  else yield* await examineSite(parts, hostname);
  yield* examineHosts(parts, hostname);
  const objects = yield* compareObjects(parts, hostname);
  if (hostname === undefined) yield* examineJobs(parts);
  return { sites, objects };
}

async function* examineJobs({ database }: ComparisonParts): AsyncGenerator<Finding> {
  for (const { name, key, why, lastError } of await listStuckJobs(database, MAX_FINDINGS)) {
    const error = lastError === null ? '' : `: ${lastError.split('\n', 1)[0]}`;
    yield { problem: 'stuck job', subject: key ?? name, hostname: '', detail: why + error };
  }
  for (const prefix of await listOverdueGarbage(database, MAX_FINDINGS)) {
    yield { problem: 'overdue garbage', subject: prefix, hostname: '', detail: 'due for over an hour' };
  }
}
