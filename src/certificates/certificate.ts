/** The certificate of a domain, and the work on it. */
import type { Sealed } from '../platform/key-ring.ts';
import type { SavedOrder } from './issuer.ts';

export interface Certificate {
  /** PEM. */
  readonly chain: string;
  readonly key: Sealed;
  /** Of the authority that issued it; null for the local one. */
  readonly directory: string | null;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Null for an authority without ARI. */
  readonly ariId: string | null;
  readonly renewAt: Date;
}

/** What a process reads when it takes the lease. All times are by the clock of the database. */
export interface CertificateWork {
  readonly domainId: string;
  readonly accountId: string;
  readonly hostname: string;
  readonly cnameTarget: string;
  /** Verified, active, or failed while it was issued. */
  readonly isWanted: boolean;
  readonly isActive: boolean;
  readonly fence: number;
  readonly now: Date;
  readonly isDue: boolean;
  readonly isAriCheckDue: boolean;
  readonly certificate: Certificate | undefined;
  readonly order: SavedOrder | undefined;
  readonly failures: number;
  readonly failingSince: Date | null;
}

/** What people read of it (`GET /api/domains/:id`). */
export interface CertificateSummary {
  readonly issuer: string | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly renewAt: Date | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
}

/** For operators. */
export interface ListedCertificate extends Omit<CertificateSummary, 'notBefore'> {
  readonly hostname: string;
  readonly accountId: string;
  /** Of the domain. */
  readonly status: string;
}

export const EXPIRY_DAYS = [0, 1, 3, 7, 14, 30, 60] as const;

/** Of the certificates of active domains. */
export interface CertificateExpiries {
  /** Null without any. */
  readonly leastDays: number | null;
  /** How many expire within each of EXPIRY_DAYS. */
  readonly within: readonly number[];
  readonly failing: number;
}
