/** Opens the sites of the API or the jobs of a process, with their share of the connections and their metrics. */
import { openSites, type Sites } from '../features/sites/open-sites.ts';
import { createPublishMetrics } from '../operations/site-metrics.ts';
import { connectionsFor } from './connection-shares.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export function openProcessSites(
  options: DatabaseProcessOptions,
  share: 'sites of the API' | 'sites of the jobs',
): Sites {
  const { config, metrics } = options;
  return openSites({
    ...options,
    keepReplacedMs: config.KEEP_REPLACED_MS,
    places: connectionsFor(share, config),
    onWritten: createPublishMetrics(metrics),
  });
}
