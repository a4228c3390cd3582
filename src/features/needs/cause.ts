/** The causes of needs. A cause has SQL that finds the needs, and the words for people. */
import type { Topic } from '../webhooks/mail/topics.ts';
import type { NeedKind, Severity, Target, Words } from './need.ts';

/**
 * `find` is a SELECT of these columns, over the rows of account `$1` alone and by an index, so that it costs nothing where all is
 * well: `kind`, `domain_id`, `subject` (whatever `facts` needs to find it again), `since`, `deadline`, and `is_bad`.
 *
 * `facts` is a scalar that makes JSON of a cause `n` with its domain `d`. It runs only for causes that are shown.
 */
export interface Cause<Facts> {
  readonly kinds: readonly NeedKind[];
  readonly find: string;
  readonly facts: string;
  readonly target: Target;
  word(found: Found<Facts>): Words;
  /** How people are told of the need. If this is absent, only pages show the need. */
  readonly told?: Told;
  /** Returns the sitemap of the need, and the upload to look at; null if there is none. */
  about?(found: Found<Facts>): { readonly sitemapName: string; readonly uploadId: string | null };
}

interface Told {
  readonly topic: Topic;
  /** A condition on the need `n`: it has lasted long enough, and is not of a kind that only pages show. */
  readonly when: string;
  /** SQL for the subject of an incident, if several causes in a row make one incident. By default, the subject of the need `n`. */
  readonly subject?: string;
  /**
   * A condition on the incident `i` whose cause is gone: the fault is mended, and not only out of sight. If this is absent, people are not
   * told of the end.
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
