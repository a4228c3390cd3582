/** Writes sites for the API and the jobs of a process, in groups, and reports how soon each change was visible. */
import { createPublishMetrics } from '../operations/site-metrics.ts';
import { NotYetVisible } from '../platform/not-yet-visible.ts';
import { inTurn } from '../sites/write-in-turn.ts';
import { writeSite } from '../sites/write-site.ts';
import { writeSites } from '../sites/write-sites.ts';
import { connectionsFor } from './connection-shares.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** `changedAt`: when the site was changed, by default just now. */
export type SiteWriter = (hostname: string, changedAt?: Date) => Promise<void>;

/** `share`: of the connections to Postgres, however slow the object storage is. */
export function createSiteWriter(
  { config, database, metrics, publicOrigin, secureOrigin, storage }: DatabaseProcessOptions,
  share: 'sites of the API' | 'sites of the jobs',
): SiteWriter {
  const options = { database, storage, publicOrigin, secureOrigin, keepReplacedMs: config.KEEP_REPLACED_MS };
  const report = createPublishMetrics(metrics);
  const writes = {
    together: (hostnames: readonly string[]) => writeSites(options, hostnames),
    alone: (hostname: string) => writeSite(options, hostname),
  };
  const write = inTurn(writes, connectionsFor(share, config));
  return async (hostname, changedAt = new Date()) => {
    const wasDue = await write(hostname).catch((cause) => {
      throw new NotYetVisible(`the site of ${hostname} could not be written`, { cause });
    });
    if (wasDue) report((Date.now() - changedAt.getTime()) / 1000);
  };
}
