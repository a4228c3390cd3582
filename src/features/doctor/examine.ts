/** Runs the whole examination: finds where the database, the object storage and the jobs do not match. */
import { setTimeout as delay } from 'node:timers/promises';
import { listStuckJobs } from '../../core/jobs/job-store.ts';
import { readObject } from '../../platform/storage/object-storage.ts';
import { readHostHashes } from '../domains/served-domain-store.ts';
import { HOST_SHARDS, HOSTS_PREFIX, hostHash, hostsKey, shardOf } from '../sites/host-directory.ts';
import { siteKey } from '../sites/site.ts';
import { listOverdueWrites } from '../sites/site-change-store.ts';
import { compareObjects, MAX_FINDINGS } from './compare-objects.ts';
import { listOverdueGarbage } from './doctor-store.ts';
import type { ExaminationResult } from './examination-store.ts';
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

/**
 * The most looks at a stale shard. A host enters the directory a moment after its verification, so a shard may be stale for that moment.
 */
const LOOKS = 24;
const LOOK_INTERVAL_MS = 500;

/** Checks that the host directory names exactly the hosts that are served. */
async function* examineHosts(options: ExaminationOptions, hostname?: string): AsyncGenerator<Finding> {
  if (!(await hasDirectory(options))) return;
  const shards = hostname === undefined ? [...Array(HOST_SHARDS).keys()] : [shardOf(hostHash(hostname))];
  let findings = await lookAtShards(options, shards);
  for (let look = 2; findings.length > 0 && look <= LOOKS; look++) {
    await delay(LOOK_INTERVAL_MS);
    findings = await lookAtShards(
      options,
      findings.map(({ shard }) => shard),
    );
  }
  for (const { shard, detail } of findings) {
    yield { problem: 'stale directory', subject: hostsKey(shard), hostname: '', detail };
  }
}

/**
 * Returns whether there is a host directory. The first jobs process of a version with a directory writes all its shards. Until then,
 * hosting looks in the store for each site.
 */
async function hasDirectory({ storage }: ExaminationOptions): Promise<boolean> {
  for await (const _shard of storage.list(HOSTS_PREFIX)) return true;
  return false;
}

async function lookAtShards({ database, storage }: ExaminationOptions, shards: readonly number[]) {
  const stale: { readonly shard: number; readonly detail: string }[] = [];
  for (const shard of shards) {
    const stored = await readObject(storage, hostsKey(shard));
    const hosts = (await readHostHashes(database, [shard], HOST_SHARDS)).get(shard)!;
    if (stored?.equals(hosts)) continue;
    // Only the first run of the job writes empty shards. So an empty shard may be missing.
    if (stored === undefined && hosts.length === 0) continue;
    stale.push({ shard, detail: stored === undefined ? 'it is missing' : 'it names other hosts' });
  }
  return stale;
}
