/**
 * A registered hostname and its states (spec 3):
 *
 * ```
 * (none) ─create→ pending_verification/pending ─verify→ verified/provisioning ─certificate→ active/active
 *                                                                └─ or ─→ failed/failed ─verify→ verified/…
 * ```
 * A verification that does not find the record changes nothing. A domain can be deleted in any state.
 */
import type { Transaction } from '../platform/postgres/database.ts';

type DomainStatus = 'pending_verification' | 'verified' | 'active' | 'failed';
type SslStatus = 'pending' | 'provisioning' | 'active' | 'failed';

export interface Domain {
  readonly id: string;
  readonly accountId: string;
  readonly hostname: string;
  readonly status: DomainStatus;
  readonly sslStatus: SslStatus;
  readonly cnameTarget: string;
  readonly createdAt: Date;
  readonly verifiedAt: Date | null;
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

/** Whether the domain is still to be verified. */
export function needsVerification(domain: Domain): boolean {
  return domain.status === 'pending_verification' || domain.status === 'failed';
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
