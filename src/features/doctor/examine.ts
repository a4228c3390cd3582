/** Runs the whole examination: finds where the database, the object storage and the jobs do not match. */
import { listStuckJobs } from '../../core/jobs/job-store.ts';
import { siteKey } from '../sites/site.ts';
import { listOverdueWrites } from '../sites/site-change-store.ts';
import { compareObjects, MAX_FINDINGS } from './compare-objects.ts';
import { listOverdueGarbage } from './doctor-store.ts';
import type { ExaminationResult } from './examination-store.ts';
import { examineHosts } from './examine-hosts.ts';
import type { ExaminationOptions } from './examine-listings.ts';
import { examineSite, examineSites } from './examine-sites.ts';
import type { Finding } from './finding.ts';

/** Examines everything, or only one hostname. Changes nothing, and may run beside all other processes. */
export async function* examine(
  options: ExaminationOptions,
  hostname?: string,
): AsyncGenerator<Finding, Pick<ExaminationResult, 'sites' | 'objects'>> {
  let sites = 1;
  if (hostname === undefined) sites = yield* examineSites(options);
  else yield* await examineSite(options, hostname);
  yield* examineHosts(options, hostname);
  const objects = yield* compareObjects(options, hostname);
  if (hostname === undefined) yield* examineJobs(options);
  return { sites, objects };
}

async function* examineJobs({ database }: ExaminationOptions): AsyncGenerator<Finding> {
  for (const { name, key, why, lastError } of await listStuckJobs(database, MAX_FINDINGS)) {
    const error = lastError === null ? '' : `: ${lastError.split('\n', 1)[0]}`;
    yield { problem: 'stuck job', subject: key ?? name, hostname: '', detail: why + error };
  }
  for (const hostname of await listOverdueWrites(database, MAX_FINDINGS)) {
    yield {
      problem: 'stuck job',
      subject: siteKey(hostname),
      hostname,
      detail: 'not written for over a minute',
    };
  }
  for (const prefix of await listOverdueGarbage(database, MAX_FINDINGS)) {
    yield { problem: 'overdue garbage', subject: prefix, hostname: '', detail: 'due for over an hour' };
  }
}
