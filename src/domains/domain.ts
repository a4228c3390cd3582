/**
 * A registered hostname and its states (spec 3):
 *
 * ```
 * (none) ─create→ pending_verification/pending ─verify→ verified/provisioning ─certificate→ active/active
 *                                                                └─ or ─→ failed/failed ─verify→ verified/…
 * ```
 * A verification that does not find the record changes nothing. A verified or active domain whose records have led
 * elsewhere for 7 days fails (`watch.ts`). One that is pending ends after 30 days. A domain can be deleted in any state.
 *
 * Several accounts can register a hostname. At most one of these domains is verified or active: the first to verify.
 */
import { isBelow } from '../platform/dns/dns-name.ts';
import type { Transaction } from '../platform/postgres/database.ts';

export const DOMAIN_STATUSES = ['pending_verification', 'verified', 'active', 'failed'] as const;
type DomainStatus = (typeof DOMAIN_STATUSES)[number];
type SslStatus = 'pending' | 'provisioning' | 'active' | 'failed';

export interface Domain {
  readonly id: string;
  readonly accountId: string;
  readonly hostname: string;
  readonly status: DomainStatus;
  readonly sslStatus: SslStatus;
  readonly cnameTarget: string;
  readonly createdAt: Date;
  /** The latest time. */
  readonly verifiedAt: Date | null;
  /** Why a failed domain failed, for people. */
  readonly failure: string | null;
  /** Whether its changed URLs are submitted (`submission/`). */
  readonly isIndexNowEnabled: boolean;
  /** No upload may remove more of the URLs of a sitemap (`uploads/guard.ts`). Null: any may. */
  readonly maxRemovedPercent: number | null;
}

/** A domain with the totals of its sitemaps. */
export interface DomainSummary extends Domain {
  readonly urlCount: number;
  readonly sitemapCount: number;
  /** Compressed bytes of its live files. */
  readonly storedBytes: number;
  readonly lastUpdated: Date | null;
  /** Position in order of creation. */
  readonly position: number;
}

/** Part of a change of a domain, in its transaction. */
export type WithDomain = (transaction: Transaction, domain: Domain) => Promise<unknown>;

/** Whether the domain is still to be verified. */
export function needsVerification(domain: Domain): boolean {
  return domain.status === 'pending_verification' || domain.status === 'failed';
}

/** Names below localhost always resolve to this machine (RFC 6761, section 6.3). Only all in one accepts them. */
export function needsDns(hostname: string): boolean {
  return !isBelow(hostname, 'localhost');
}

/**
 * Runs `change` in a transaction, gives the domain a new generation, commits and writes the site
 * (`sites/change-site.ts`). `beforeCommit` runs last in the transaction.
 */
export type ChangeSite = <Result>(
  domain: Pick<Domain, 'id' | 'hostname'>,
  change: (transaction: Transaction) => Promise<Result>,
  beforeCommit?: () => void,
) => Promise<Result>;
