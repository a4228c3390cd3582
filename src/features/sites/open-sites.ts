/** Opens the room for other rooms that change or write sites, over the database and the store of the process. */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { Log } from '../../platform/log.ts';
import { NotYetVisible } from '../../platform/not-yet-visible.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { OpenChange } from '../domains/domain.ts';
import { openChange } from './change-site.ts';
import { createChangedSiteQueue } from './changed-site-queue.ts';
import { type CollectGarbageOptions, collectGarbage } from './collect-garbage.ts';
import { createEnsureWritten, type EnsureWritten } from './ensure-written.ts';
import { addGarbage, addUploadsOfDomain } from './garbage-store.ts';
import { outboxOfDomain } from './outbox.ts';
import { type Rebuilding, rebuildSite } from './rebuild-site.ts';
import { endRecent } from './recent-sitemap.ts';
import type { SiteOrigins } from './site.ts';
import type { RequestedWrite } from './site-change-store.ts';
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

export interface Sites {
  /** Opens a change. Every change that a site shows needs one (`change-site.ts`). */
  readonly openChange: OpenChange;
  /** Writes the newest generation, in a group with other sites. `changedAt` defaults to now. Throws NotYetVisible. */
  readonly write: (hostname: string, changedAt?: Date) => Promise<void>;
  /** Writes a site without trusting the store. */
  readonly rebuild: (hostname: string) => Promise<Rebuilding>;
  readonly ensureWritten: EnsureWritten;
  /** Lists the objects of a domain for collection. The transaction deletes the domain. */
  readonly discard: (transaction: Transaction, domainId: string) => Promise<void>;
  /** The queue of sites that the process of their change did not write. */
  readonly sweep: WorkQueue<RequestedWrite>;
  readonly collectGarbage: (terms: Pick<CollectGarbageOptions, 'replacedBytes' | 'report'>) => Promise<void>;
  /** Writes each shard of the host directory that differs from the database. */
  readonly writeHosts: () => Promise<number>;
}

export function openSites(options: OpenSitesOptions): Sites {
  const { database, keepReplacedMs, places, onWritten } = options;
  const writes = {
    together: (hostnames: readonly string[]) => writeSites(options, hostnames),
    alone: (hostname: string) => writeSite(options, hostname),
  };
  const writeInTurn = inTurn(writes, places);
  const write: Sites['write'] = async (hostname, changedAt = new Date()) => {
    const wasDue = await writeInTurn(hostname).catch((cause) => {
      throw new NotYetVisible(`the site of ${hostname} could not be written`, { cause });
    });
    if (wasDue) onWritten?.((Date.now() - changedAt.getTime()) / 1000);
  };
  return {
    write,
    openChange: () => openChange({ database, writeSite: write }),
    rebuild: (hostname) => rebuildSite(options, hostname),
    ensureWritten: createEnsureWritten({ database, writeSite: write }),
    discard: async (transaction, domainId) => {
      await addUploadsOfDomain(transaction, domainId, keepReplacedMs);
      await endRecent(transaction, domainId);
      await addGarbage(transaction, [outboxOfDomain(domainId)], 0);
    },
    sweep: createChangedSiteQueue({ database, writeSite: write }),
    collectGarbage: (terms) => collectGarbage({ ...options, ...terms }),
    writeHosts: () => writeAllHosts(options),
  };
}
