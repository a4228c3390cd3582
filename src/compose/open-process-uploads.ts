/** Opens the uploads of the API, with their limits and the verbs of other rooms that they need. */
import type { Plans } from '../features/accounts/plans.ts';
import { openDeltaRecord } from '../features/changes/record-delta.ts';
import type { Connections } from '../features/connections/open-connections.ts';
import type { CnameTargets } from '../features/domains/cname-target.ts';
import { recordPageHosts } from '../features/page-hosts/record-page-hosts.ts';
import { takeWarnings } from '../features/page-hosts/take-warnings.ts';
import { deriveHashSeed } from '../features/sites/file-hashes.ts';
import type { Sites } from '../features/sites/open-sites.ts';
import { createOpenOutbox } from '../features/submission/open-outbox.ts';
import type { LoadReports } from '../features/uploads/loads/load-work.ts';
import { openUploads, type Uploads } from '../features/uploads/open-uploads.ts';
import type { Webhooks } from '../features/webhooks/open-webhooks.ts';
import { verbsOn } from '../platform/verb.ts';
import { connectionsFor } from './connection-shares.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { openOutboundReads } from './open-outbound.ts';

/** The longest pause before a load tries an object again. */
const LONGEST_WAIT_MS = 60_000;

export interface ProcessUploadsOptions extends DatabaseProcessOptions {
  readonly plans: Plans;
  readonly cnameTargets: CnameTargets;
  readonly reports: LoadReports;
  /** The work that continues after the answer to its request. */
  readonly underWay: Set<Promise<unknown>>;
}

interface RoomsOfUploads {
  readonly sites: Sites;
  readonly connections: Connections;
  readonly webhooks: Webhooks;
}

export function openProcessUploads(
  options: ProcessUploadsOptions,
  { sites, connections, webhooks }: RoomsOfUploads,
): Uploads {
  const { config, database, storage, cnameTargets, plans, reports } = options;
  const openSink = config.INDEXNOW_ENDPOINT === undefined ? async () => undefined : createOpenOutbox(options);
  return openUploads({
    ...{ ...options, sites, takeWarnings },
    keepReplacedMs: config.KEEP_REPLACED_MS,
    threads: config.RENDER_THREADS,
    transcodes: config.TRANSCODE_ENTRIES,
    hashSeed: deriveHashSeed(cnameTargets.secret),
    perAccount: config.UPLOADS_PER_ACCOUNT,
    apart: connectionsFor('small uploads apart', config),
    loading: {
      reader: {
        read: openOutboundReads(options),
        random: Math.random,
        maxBytes: config.MAX_UPLOAD_BYTES,
        idleMs: config.UPLOAD_STALL_TIMEOUT_MS,
        maxWaitMs: LONGEST_WAIT_MS,
      },
      ...{ plans, reports },
      reachStore: connections.reach,
      emitRefused: webhooks.emitRefusedUpload,
    },
    deltaBytesPerMinute: config.DELTA_BYTES_PER_MINUTE,
    ...verbsOn({ database, storage, openSink, onCounted: recordPageHosts }, { openDeltaRecord }),
  });
}
