/** The type of a cause of needs: the SQL that finds the needs, and the words for people. */
import type { Topic } from '../webhooks/mail/topics.ts';
import type { NeedKind, Severity, Target, Words } from './need.ts';

/**
 * `find` is a SELECT of the columns `kind`, `domain_id`, `subject` (the text by which `facts` finds the need again), `since`, `deadline`
 * and `is_bad`. It reads only rows of account `$1`, by an index, so it costs little for an account without needs.
 *
 * `facts` is a scalar SELECT that makes JSON for a need `n` with its domain `d`. It runs only for needs that people see.
 */
export interface Cause<Facts> {
  readonly kinds: readonly NeedKind[];
  readonly find: string;
  readonly facts: string;
  readonly target: Target;
  word(found: Found<Facts>): Words;
  /** How people are told of the need when it begins and when it ends. Without `told`, the need is only in lists and digests. */
  readonly told?: Told;
  /** Returns the sitemap of the need, and the upload to look at; null if there is none. */
  about?(found: Found<Facts>): { readonly sitemapName: string; readonly uploadId: string | null };
}

interface Told {
  readonly topic: Topic;
  /** The SQL condition for telling people that the need `n` has begun, for example that it has lasted long enough. */
  readonly when: string;
  /** SQL for the subject of an incident, if several needs in a row make one incident. The default is the subject of the need `n`. */
  readonly subject?: string;
  /**
   * The SQL condition that the fault of an incident `i` is mended. It is checked when the need is gone. A need can also go while its fault
   * stays, for example when a schedule is paused. Without `over`, people are not told of the end.
   */
  readonly over?: string;
}

export interface Found<Facts> {
  readonly kind: NeedKind;
  readonly domainId: string;
  readonly hostname: string;
  readonly subject: string;
  readonly since: Date | null;
  readonly deadline: Date | null;
  readonly severity: Severity;
  /** The time by the clock of the database. */
  readonly now: Date;
  readonly facts: Facts;
}
