/**
 * A registered hostname and its states (spec 3):
 *
 * ```
 * (none) ─create→ pending_verification/pending ─verify→ verified/provisioning ─certificate→ active/active
 *                                                                └─ or ─→ failed/failed ─verify→ verified/…
 * ```
 * A verification that does not find the record changes nothing. A verified or active domain whose records have led
 * elsewhere for 7 days fails (`watch.ts`). A pending domain is deleted after 30 days. A domain can be deleted in any
 * state.
 *
 * Several accounts can register a hostname. At most one of these domains is verified or active: the first to verify.
 */
import { isBelow } from '../../platform/dns/dns-name.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { DomainCounts } from './domain-counts-store.ts';

export const DOMAIN_STATUSES = ['pending_verification', 'verified', 'active', 'failed'] as const;
type DomainStatus = (typeof DOMAIN_STATUSES)[number];
type SslStatus = 'pending' | 'provisioning' | 'active' | 'failed';

/**
 * The ways in which uploads place their entries: `stable` leaves each entry in its file, `order` follows the list (docs/decisions/0055).
 */
export const PLACEMENTS = ['stable', 'order'] as const;
export type Placement = (typeof PLACEMENTS)[number];

export interface Domain {
  readonly id: string;
  readonly accountId: string;
  readonly hostname: string;
  readonly status: DomainStatus;
  readonly sslStatus: SslStatus;
  readonly cnameTarget: string;
  readonly createdAt: Date;
  /** The time of its last verification. */
  readonly verifiedAt: Date | null;
  /** The reason why the domain failed, as a text for people. */
  readonly failure: string | null;
  /** Whether its changed URLs are submitted (`features/submission/`). */
  readonly isIndexNowEnabled: boolean;
  /** An upload may remove at most this share of the URLs of a sitemap (`features/uploads/guard.ts`). Null means no limit. */
  readonly maxRemovedPercent: number | null;
  /** The placement of uploads that name none themselves. */
  readonly placement: Placement;
  /** Whether its hostname may have a website, by the check at its registration or by the word of its owner. Null: not known. */
  readonly website: boolean | null;
}

/** A domain with the totals of its sitemaps. */
export interface DomainSummary extends Domain {
  readonly urlCount: number;
  readonly sitemapCount: number;
  /** Compressed bytes of its live files. */
  readonly storedBytes: number;
  readonly lastUpdated: Date | null;
  /** The position of the domain in the order of creation. */
  readonly position: number;
}

export interface WholeDomain extends DomainSummary {
  /** The name of the person or key that registered the domain. Null: it is not known, or gone. */
  readonly addedBy: string | null;
  /** Null if the number of URLs has not changed since. */
  readonly urlsAWeekAgo: number | null;
}

/** A step that runs in the transaction of a change of a domain. */
export type WithDomain = (transaction: Transaction, domain: Domain) => Promise<unknown>;

/** A step that runs in the transaction of a change of several domains. */
export type WithDomains = (transaction: Transaction, ...domains: readonly Domain[]) => Promise<unknown>;

/** Whether the domain must still be verified. */
export function needsVerification(domain: Domain): boolean {
  return domain.status === 'pending_verification' || domain.status === 'failed';
}

/**
 * Names below localhost always resolve to this machine (RFC 6761, section 6.3). Only the program `all-in-one` accepts
 * them.
 */
export function needsDns(hostname: string): boolean {
  return !isBelow(hostname, 'localhost');
}

/**
 * A change of a site under way (`features/sites/change-site.ts`). The disposal rolls the change back unless the change is committed. A
 * change of rows that belong to a domain locks the domain first, because a deletion locks the domain before those rows. A change that locks
 * the rows first can deadlock with a deletion.
 */
export interface SiteChange extends AsyncDisposable {
  readonly transaction: Transaction;
  /** Gives the domains new generations, commits, and writes their sites. Throws NotYetVisible if only the last step fails. */
  commit(...domains: readonly ChangedDomain[]): Promise<void>;
}

export type OpenChange = () => Promise<SiteChange>;

export interface ChangedDomain extends Pick<Domain, 'id' | 'hostname'> {
  /** The sums over its live uploads, if these have changed. The caller must have locked the domain. */
  readonly counts?: DomainCounts;
}
