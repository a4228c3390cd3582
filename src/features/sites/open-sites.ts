/** Opens the room for other rooms that change or write sites, over the database and the store of the process. */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { Log } from '../../platform/log.ts';
import { NotYetVisible } from '../../platform/not-yet-visible.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { openChange } from './change-site.ts';
import { type CollectGarbageOptions, collectGarbage } from './collect-garbage.ts';
import { createEnsureWritten } from './ensure-written.ts';
import { addGarbage, endGenerations } from './garbage-store.ts';
import { outboxOfDomain } from './outbox.ts';
import { rebuildSite } from './rebuild-site.ts';
import { endRecent } from './recent-sitemap.ts';
import type { SiteOrigins } from './site.ts';
import { type RequestedWrite, takeDueWrites } from './site-change-store.ts';
import { writeAllHosts } from './write-hosts.ts';
import { inTurn } from './write-in-turn.ts';
import { writeSite } from './write-site.ts';
import { writeSites } from './write-sites.ts';

export interface OpenSitesOptions extends SiteOrigins {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly log: Log;
  /** The time for which crawlers can still fetch replaced files, in ms. */
  readonly keepReplacedMs: number;
  /** The most connections to Postgres that writes may hold at once, however slow the store is. */
  readonly places: number;
  /** Receives the seconds from a change until its site shows it. */
  readonly onWritten?: (seconds: number) => void;
}

export type Sites = ReturnType<typeof openSites>;

export function openSites(options: OpenSitesOptions) {
  const { database, keepReplacedMs, places, onWritten } = options;
  const writeInTurn = inTurn(
    {
      together: (hostnames) => writeSites(options, hostnames),
      alone: (hostname) => writeSite(options, hostname),
    },
    places,
  );
  const write = async (hostname: string, changedAt = new Date()): Promise<void> => {
    const wasDue = await writeInTurn(hostname).catch((cause) => {
      throw new NotYetVisible(`the site of ${hostname} could not be written`, { cause });
    });
    // `changedAt` may come from the clock of the database, which may be ahead of ours. A histogram must not fall.
    if (wasDue) onWritten?.(Math.max(0, (Date.now() - changedAt.getTime()) / 1000));
  };
  return {
    /** Writes the newest generation, in a group with other sites. Throws NotYetVisible. */
    write,
    /** Opens a change. Every change that a site shows is made in such a change (`change-site.ts`). */
    openChange: () => openChange({ database, writeSite: write }),
    /** Writes a site without trusting the store. */
    rebuild: (hostname: string) => rebuildSite(options, hostname),
    ensureWritten: createEnsureWritten(database, write),
    /** Lists the objects of a domain for collection. The transaction deletes the domain. */
    discard: async (transaction: Transaction, domainId: string) => {
      await endGenerations(transaction, { domainId }, keepReplacedMs);
      await endRecent(transaction, domainId);
      await addGarbage(transaction, [outboxOfDomain(domainId)], 0);
    },
    /** The queue of sites that the process of their change did not write. */
    sweep: createChangedSiteQueue(database, write),
    collectGarbage: (terms: Pick<CollectGarbageOptions, 'replacedBytes' | 'report'>) =>
      collectGarbage({ ...options, ...terms }),
    /** Writes each shard of the host directory that differs from the database. */
    writeHosts: () => writeAllHosts(options),
  };
}

/** The most sites under way at once. Small sites are written together in groups (`write-in-turn.ts`). */
const SWEPT_AT_ONCE = 100;
/** The pause after a look that found no due site. */
const LOOK_EVERY_MS = 1_000;

/**
 * The sweep writes sites that the process of their change did not write, because it died or because the write failed. Any number of
 * processes share the sweep. A site that keeps failing is tried less and less often, and holds at most one place.
 */
export function createChangedSiteQueue(
  database: Database,
  writeSite: (hostname: string, changedAt: Date) => Promise<unknown>,
): WorkQueue<RequestedWrite> {
  return {
    name: 'sites.write',
    atOnce: SWEPT_AT_ONCE,
    pollMs: LOOK_EVERY_MS,
    take: (limit) => takeDueWrites(database, limit),
    async work({ hostname, changedAt }) {
      await writeSite(hostname, changedAt);
    },
  };
}
