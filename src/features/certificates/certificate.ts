/** The certificate of a domain, and the work on it. */
import type { Sealed } from '../../platform/key-ring.ts';
import type { IssuedAt, SavedOrder } from './issuer.ts';

export interface Certificate extends IssuedAt {
  /** The certificates of the chain, in PEM. */
  readonly chain: string;
  readonly key: Sealed;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly renewAt: Date;
}

/** The state of a certificate when a process takes the lease. All times are by the clock of the database. */
export interface CertificateWork {
  readonly domainId: string;
  readonly accountId: string;
  readonly hostname: string;
  readonly cnameTarget: string;
  /** True unless the domain has to be verified first. */
  readonly isWanted: boolean;
  /** Whether the status of the domain is `active`. */
  readonly isActive: boolean;
  readonly fence: number;
  readonly now: Date;
  /** Whether a new certificate or its next attempt is due. */
  readonly isDue: boolean;
  /** Whether the check of the renewal time is due (RFC 9773). */
  readonly isAriCheckDue: boolean;
  readonly certificate: Certificate | undefined;
  readonly order: SavedOrder | undefined;
  /** The number of failed attempts in a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
}

/** The certificate of a domain as people see it (`GET /api/domains/:id`). */
export interface CertificateSummary {
  readonly issuer: string | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly renewAt: Date | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
}

/** A certificate as operators see it. */
export interface ListedCertificate extends Omit<CertificateSummary, 'notBefore'> {
  readonly hostname: string;
  readonly accountId: string;
  /** The status of the domain. */
  readonly status: string;
}

/** The bounds by which `within` counts certificates. */
export const EXPIRY_DAYS = [0, 1, 3, 7, 14, 30, 60] as const;

/** The expiry of the certificates of active domains. */
export interface CertificateExpiries {
  /** The days until the first expiry, also of the API's own certificate; null without certificates. */
  readonly leastDays: number | null;
  /** The number of certificates, the API's own included, that expire within a week and within a quarter of their lifetime. */
  readonly late: number;
  /** The number of certificates that expire within each of EXPIRY_DAYS. */
  readonly within: readonly number[];
  /** The number of domains, active or not, whose certificate has a `lastError`. */
  readonly failing: number;
}
