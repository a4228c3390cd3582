/** The state that a transaction has read under its locks. Each accepted publication changes the state. */
import { MAX_FILES_PER_INDEX } from '../../../core/sitemap/limits.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { DomainCounts } from '../../domains/domain-counts-store.ts';
import type { LockedDomain } from '../../domains/domain-store.ts';
import { tooManyFiles } from '../../sites/cut-files.ts';
import { MAX_RECENT_FILES, RECENT_SITEMAP } from '../../sites/recent-sitemap.ts';
import { type Allowance, type OtherSitemaps, refuseOverPlan } from '../allowance.ts';
import { isSameContent } from '../content-print.ts';
import { NOTHING, withoutUpload, withUpload } from '../domain-usage.ts';
import { refuseShrinking } from '../guard.ts';
import type { FileTotals } from '../staging.ts';
import type { UploadDomain } from '../upload-members.ts';
import type { GenerationRow, LiveGeneration, SitemapKey } from '../upload-store.ts';
import type { Publication, PublishOptions } from './publication.ts';
import type { FormerSitemap, RepointedSitemap } from './publish-store.ts';

/** An upload that has the same content as the live generation. */
export interface Unchanged<Kind extends Publication = Publication> {
  readonly publication: Kind;
  readonly locked: LockedDomain;
  readonly live: LiveGeneration;
}

/** A publication that has passed all checks. */
export interface Accepted<Kind extends Publication = Publication> {
  readonly publication: Kind;
  readonly row: GenerationRow;
  readonly locked: LockedDomain;
  /** The generation that was live before the publication. Undefined for the first generation of its sitemap. */
  readonly live: LiveGeneration | undefined;
  /** The sitemap before the transaction. */
  readonly former: FormerSitemap;
  readonly isFirstOfDomain: boolean;
}

interface Facts {
  readonly domains: readonly LockedDomain[];
  readonly counts: ReadonlyMap<string, DomainCounts>;
  readonly accountBytes: ReadonlyMap<string, number>;
  readonly former: readonly FormerSitemap[];
}

/** A sitemap with its new generations in order (`rows`). */
interface ChangedSitemap {
  readonly accountId: string;
  readonly isDelta: boolean;
  readonly isRollback: boolean;
  readonly former: FormerSitemap;
  readonly rows: GenerationRow[];
}

export class PublishState {
  readonly #domains: ReadonlyMap<string, LockedDomain>;
  readonly #counts: Map<string, DomainCounts>;
  readonly #accountBytes: Map<string, number>;
  readonly #former: ReadonlyMap<string, FormerSitemap>;
  readonly #changed = new Map<string, ChangedSitemap>();
  readonly #changedDomains = new Map<string, UploadDomain>();

  constructor({ domains, counts, accountBytes, former }: Facts) {
    this.#domains = new Map(domains.map((domain) => [domain.id, domain]));
    this.#counts = new Map(counts);
    this.#accountBytes = new Map(accountBytes);
    this.#former = new Map(former.map((one) => [placeOf(one), one]));
  }

  /** Returns undefined if the publication is left out. Throws Refusal. */
  async accept<Kind extends Publication>(
    transaction: Transaction,
    publication: Kind,
    publishTime: PublishOptions['publishTime'],
  ): Promise<Accepted<Kind> | Unchanged<Kind> | undefined> {
    const { id, uploader, domain, sitemapName, terms } = publication;
    const { accountId, allowance } = uploader;
    const place = placeOf({ domainId: domain.id, sitemapName });
    const locked = this.#domains.get(domain.id);
    const former = this.#former.get(place)!;
    if (locked === undefined || former.hasMoreFiles) return undefined;
    if (locked.hasRecent && sitemapName === RECENT_SITEMAP) throw nameIsReserved();
    const isDelta = publication.kind === 'delta';
    const isRollback = publication.kind === 'rollback';
    const changed = this.#changed.get(place) ?? { accountId, isDelta, isRollback, former, rows: [] };
    const live = liveOf(changed);
    refuseOtherGeneration(terms.ifGeneration, live);
    if (live !== undefined && !terms.force && isSameAs(publication, live)) {
      return { publication, locked, live };
    }
    const { print, ...totals } = await publication.take(transaction, live);
    const accountBytes = this.#accountBytes.get(accountId) ?? 0;
    refuseOverLimits(allowance, withoutUpload(this.#countsOf(domain.id), accountBytes, live), totals, {
      hasRecent: locked.hasRecent,
      live,
    });
    if (!terms.force) {
      const former = { formerUrlCount: live?.urlCount ?? 0, formerGeneration: live?.seq ?? 0 };
      const change = { sitemapName, ...former, urlCount: totals.urlCount };
      refuseShrinking(change, locked.maxRemovedPercent);
    }
    const isFirstOfDomain = !this.#changedDomains.has(domain.id);
    const seq = (live?.seq ?? locked.deletedSeq) + 1;
    const publishedAt = publishTime?.() ?? former.nextAt;
    const row = { id, domainId: domain.id, sitemapName, seq, totals, print, publishedAt };
    changed.rows.push(row);
    this.#changed.set(place, changed);
    this.#changedDomains.set(domain.id, domain);
    this.#accountBytes.set(accountId, accountBytes + totals.gzipBytes - (live?.gzipBytes ?? 0));
    this.#counts.set(domain.id, withUpload(this.#countsOf(domain.id), live, totals));
    return { publication, row, locked, live, former, isFirstOfDomain };
  }

  changedSitemaps(): RepointedSitemap[] {
    return [...this.#changed.values()].map(({ accountId, isDelta, isRollback, former, rows }) => ({
      accountId,
      isDelta,
      isRollback,
      first: rows[0]!,
      last: rows.at(-1)!,
      formerUrls: former.live?.urlCount ?? 0,
    }));
  }

  changedDomains(): (UploadDomain & { readonly counts: DomainCounts })[] {
    return [...this.#changedDomains.values()].map(({ id, hostname }) => ({
      id,
      hostname,
      counts: this.#countsOf(id),
    }));
  }

  #countsOf(domainId: string): DomainCounts {
    return this.#counts.get(domainId) ?? NOTHING;
  }
}

function isSameAs({ content, isSame }: Publication, live: LiveGeneration): boolean {
  return isSame?.(live) ?? (content !== undefined && isSameContent(content, live));
}

function nameIsReserved(): Refusal {
  const message = `sitemapName: the domain has a sitemap of recent changes, so no other sitemap may be named ${RECENT_SITEMAP}`;
  return new Refusal('CONFLICT', message, { details: { field: 'sitemapName', value: RECENT_SITEMAP } });
}

/** Ids and names have no blanks, so the key is unambiguous. */
export const placeOf = ({ domainId, sitemapName }: SitemapKey) => `${domainId} ${sitemapName}`;

function liveOf({ former, rows }: ChangedSitemap): LiveGeneration | undefined {
  const last = rows.at(-1);
  return last === undefined
    ? (former.live ?? undefined)
    : { id: last.id, seq: last.seq, print: last.print, ...last.totals };
}

/** Checks `ifGeneration` (spec D63). */
export function refuseOtherGeneration(
  wanted: number | undefined,
  live: Pick<LiveGeneration, 'seq'> | undefined,
): void {
  const generation = live?.seq ?? 0;
  if (wanted === undefined || wanted === generation) return;
  const message =
    live === undefined
      ? 'ifGeneration: there is no such sitemap'
      : `ifGeneration: the sitemap is at generation ${generation}`;
  throw new Refusal('CONFLICT', message, { details: { field: 'ifGeneration', value: wanted, generation } });
}

function refuseOverLimits(
  allowance: Allowance,
  others: OtherSitemaps,
  totals: FileTotals,
  { hasRecent, live }: { readonly hasRecent: boolean; readonly live: LiveGeneration | undefined },
): void {
  // The index also lists the recent files. A sitemap that does not grow passes all the same.
  const isReserved = hasRecent && totals.fileCount > (live?.fileCount ?? 0);
  const most = MAX_FILES_PER_INDEX - (isReserved ? MAX_RECENT_FILES : 0);
  if (others.files + totals.fileCount > most) throw tooManyFiles(most);
  refuseOverPlan(allowance, others, totals.gzipBytes, live?.gzipBytes);
}
