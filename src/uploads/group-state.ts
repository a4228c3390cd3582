/** What a group of uploads has read under its locks, and what becomes of it as one member after the other is accepted. */
import { accountSuspended } from '../accounts/api-key.ts';
import type { HeldKey } from '../accounts/hold-caller.ts';
import type { DomainCounts } from '../domains/domain-counts-store.ts';
import type { LockedDomain } from '../domains/domain-store.ts';
import type { ReplacedGeneration } from '../sites/garbage-store.ts';
import { NOTHING, withoutUpload, withUpload } from './domain-usage.ts';
import { refuseShrinking } from './guard.ts';
import { nextSeq, refuseOtherGeneration, refuseOverLimits } from './publish-generation.ts';
import type { GroupMember } from './publish-group.ts';
import type { FormerSitemap, NewGeneration, RepointedSitemap } from './publish-group-store.ts';
import { sumFiles } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';
import type { LiveGeneration, SitemapKey } from './upload-store.ts';

/** Files that a small upload replaces in a group. */
export const MOST_FORMER_FILES = 100;

/** A member that is published with its group. */
export interface AcceptedMember {
  readonly row: NewGeneration;
  readonly domain: UploadDomain;
  readonly locked: LockedDomain;
  /** Undefined for the first generation of its sitemap. */
  readonly replaced: ReplacedGeneration | undefined;
  readonly isFirstOfDomain: boolean;
}

interface GroupFacts {
  readonly keys: readonly HeldKey[];
  readonly domains: readonly LockedDomain[];
  readonly counts: ReadonlyMap<string, DomainCounts>;
  readonly accountBytes: ReadonlyMap<string, number>;
  readonly sitemaps: readonly FormerSitemap[];
}

/** A sitemap that members change. `rows`: their generations, in order. */
interface ChangedSitemap extends SitemapKey {
  readonly accountId: string;
  readonly former: FormerSitemap;
  readonly rows: { -readonly [Name in keyof NewGeneration]: NewGeneration[Name] }[];
}

export class GroupState {
  readonly #keys: ReadonlyMap<string, HeldKey>;
  readonly #domains: ReadonlyMap<string, LockedDomain>;
  readonly #counts: Map<string, DomainCounts>;
  readonly #accountBytes: Map<string, number>;
  readonly #former: ReadonlyMap<string, FormerSitemap>;
  readonly #changed = new Map<string, ChangedSitemap>();
  readonly #changedDomains = new Set<string>();

  constructor({ keys, domains, counts, accountBytes, sitemaps }: GroupFacts) {
    this.#keys = new Map(keys.map((key) => [`${key.accountId} ${key.keyId}`, key]));
    this.#domains = new Map(domains.map((domain) => [domain.id, domain]));
    this.#counts = new Map(counts);
    this.#accountBytes = new Map(accountBytes);
    this.#former = new Map(sitemaps.map((one) => [placeOf(one), one]));
  }

  /** Undefined if the member is not for this group. Throws Refusal. */
  accept(member: GroupMember, publishedAt: Date): AcceptedMember | undefined {
    const { uploader, domain, sitemapName, terms } = member;
    const key = this.#keys.get(`${uploader.accountId} ${uploader.keyId}`);
    const locked = this.#domains.get(domain.id);
    const place = placeOf({ domainId: domain.id, sitemapName });
    const former = this.#former.get(place)!;
    if (key === undefined || locked === undefined) return undefined;
    if (former.etags.length > MOST_FORMER_FILES) return undefined;
    if (key.isSuspended) throw accountSuspended();
    const { accountId } = uploader;
    const changed = this.#changed.get(place) ?? {
      ...{ accountId, domainId: domain.id, sitemapName, former },
      rows: [],
    };
    const live = liveOf(changed);
    refuseOtherGeneration(terms.ifGeneration, live);
    const totals = sumFiles(member.files);
    const accountBytes = this.#accountBytes.get(accountId) ?? 0;
    const others = withoutUpload(this.#countsOf(domain.id), accountBytes, live);
    refuseOverLimits(uploader.allowance, others, totals);
    if (!terms.force) {
      const change = { sitemapName, formerUrlCount: live?.urlCount ?? 0, urlCount: totals.urlCount };
      refuseShrinking(change, locked.maxRemovedPercent);
    }
    const isFirstOfDomain = !this.#changedDomains.has(domain.id);
    const seq = nextSeq(live, locked);
    const row = { ...newGeneration(member, seq, publishedAt), files: filesOf(member, changed, publishedAt) };
    this.#replace(changed, live, row);
    return {
      row,
      ...{ domain, locked, isFirstOfDomain },
      replaced: live && { uploadId: live.id, domainId: domain.id, sitemapName, nextSeq: seq },
    };
  }

  /** The sitemaps, with the seq of the first generation that has other files. A deleted sitemap has left rows of files too. */
  endedSitemaps(): (SitemapKey & { readonly toSeq: number })[] {
    return [...this.#changed.values()].map(({ domainId, sitemapName, rows }) => ({
      ...{ domainId, sitemapName, toSeq: rows[0]!.seq },
    }));
  }

  changedSitemaps(): RepointedSitemap[] {
    return [...this.#changed.values()].map(({ accountId, former, rows }) => ({
      ...{ accountId, first: rows[0]!, last: rows.at(-1)! },
      formerUrls: former.live?.urlCount ?? 0,
    }));
  }

  changedDomains(): ({ readonly id: string } & DomainCounts)[] {
    return [...this.#changedDomains].map((id) => ({ id, ...this.#countsOf(id) }));
  }

  #replace(changed: ChangedSitemap, live: LiveGeneration | undefined, row: NewGeneration): void {
    const { accountId, domainId } = changed;
    const bytes = row.totals.gzipBytes - (live?.gzipBytes ?? 0);
    const former = changed.rows.at(-1);
    if (former !== undefined) former.isReplaced = true;
    changed.rows.push(row);
    this.#changed.set(placeOf(changed), changed);
    this.#changedDomains.add(domainId);
    this.#accountBytes.set(accountId, (this.#accountBytes.get(accountId) ?? 0) + bytes);
    this.#counts.set(domainId, withUpload(this.#countsOf(domainId), live, row.totals));
  }

  #countsOf(domainId: string): DomainCounts {
    return this.#counts.get(domainId) ?? NOTHING;
  }
}

/** Hostnames and names have no blanks. */
const placeOf = ({ domainId, sitemapName }: SitemapKey) => `${domainId} ${sitemapName}`;

function liveOf({ former, rows }: ChangedSitemap): LiveGeneration | undefined {
  const last = rows.at(-1);
  return last === undefined ? (former.live ?? undefined) : { id: last.id, seq: last.seq, ...last.totals };
}

function newGeneration(
  { uploadId, domain, sitemapName, files, attempt }: GroupMember,
  seq: number,
  publishedAt: Date,
): Omit<NewGeneration, 'files'> {
  return {
    ...{ id: uploadId, domainId: domain.id, sitemapName, seq, publishedAt },
    totals: sumFiles(files),
    isReplaced: false,
    attempt: attempt.publish(seq),
  };
}

/** A file that equals the former one of the same number keeps its time. */
function filesOf(
  { files }: GroupMember,
  { former, rows }: ChangedSitemap,
  publishedAt: Date,
): NewGeneration['files'] {
  const live =
    rows.at(-1)?.files ?? former.etags.map((etag, i) => ({ etag, lastModified: former.lastModified[i]! }));
  return files.map(({ n, entries, bytes, gzipBytes, etag, content }) => {
    const lastModified = live[n - 1]?.etag === etag ? live[n - 1]!.lastModified : publishedAt;
    return { ...{ n, entries, bytes, gzipBytes, etag, lastModified }, content: content! };
  });
}
