/**
 * An upload session: an upload that comes in parts, from any number of writers through any process (docs/decisions/0067).
 *
 *   open ──part──▶ open ──commit──▶ committed, or held by the guard
 *    ├──abort──▶ aborted
 *    └──24 h without a part, 7 days in all, or too many bytes of its account──▶ expired
 *
 * All objects have the prefix of the upload that the commit publishes. The row of this prefix in `garbage` says when the session ends.
 * While a commit is under way, no part is taken. If the process of the commit dies, its lease ends, and the session is open again.
 */
import type { SizeLimit } from '../../../core/sitemap/limits.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Placement } from '../../domains/domain.ts';
import type { OnInvalid } from '../fragment.ts';
import type { PublishedUpload } from '../publishing/publication.ts';

export const MAX_PARTS = 10_000;
/** The most sessions of an account that are open at once. */
export const MAX_OPEN_SESSIONS = 3;

export type SessionStatus = 'open' | 'committing' | 'committed' | 'held' | 'aborted' | 'expired';

export interface SessionTerms {
  readonly sizeLimit: SizeLimit;
  readonly onInvalid: OnInvalid;
  /** The limit of the whole session. Null means any number. */
  readonly maxRejected: number | null;
  readonly maxRejectedPercent: number | null;
  /** The announced number of entries of all parts, including invalid ones. Null: none was announced. */
  readonly expectedUrlCount: number | null;
  /** Null: as the domain says. */
  readonly placement: Placement | null;
}

export interface UploadSession {
  readonly id: string;
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** The id of the upload that the commit publishes. */
  readonly uploadId: string;
  readonly terms: SessionTerms;
  readonly status: SessionStatus;
  readonly createdAt: Date;
  /**
   * The time at which the session, or the hold of its upload, ends. Null for committed and aborted sessions, and once a job has marked the
   * session as expired.
   */
  readonly expiresAt: Date | null;
  readonly parts: number;
  readonly urlCount: number;
  /** The gzip bytes of the stored files. */
  readonly gzipBytes: number;
  /** The upload of a committed session. Null for any other session, and if the upload was held first. */
  readonly published: CommittedUpload | null;
}

/** The outcome of a commit. A repeated commit has the same answer. */
export interface CommittedUpload extends PublishedUpload {
  /** The number of rejected entries. Null if the session allowed no invalid entries. */
  readonly rejected: number | null;
}

export function notOpen(status: Exclude<SessionStatus, 'open'>): Refusal {
  const details = { status };
  if (status === 'committing') {
    const message = 'The upload session is being committed. Try again in a moment.';
    return new Refusal('CONFLICT', message, { details, retryAfterSeconds: 1 });
  }
  return new Refusal('CONFLICT', `The upload session ${SAYS[status]}.`, { details });
}

const SAYS = {
  committed: 'has been committed',
  held: 'has been committed, and the guard of its domain holds the upload',
  aborted: 'has been aborted',
  expired: 'has expired. Open another one, and send all parts again',
} satisfies Record<Exclude<SessionStatus, 'open' | 'committing'>, string>;

export function noSuchSession(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such upload session.');
}
