/** The causes of needs. Each is some SQL that finds them, and words for what it found. */
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
  /** How people are told of it. Without this, only pages show it. */
  readonly told?: Told;
  /** The sitemap that it is about, and the upload to look at, if there is one. */
  about?(found: Found<Facts>): { readonly sitemapName: string; readonly uploadId: string | null };
}

interface Told {
  readonly topic: Topic;
  /** A condition on the cause `n`: it has lasted long enough, and is none of those that only pages show. */
  readonly when: string;
  /** Makes the subject of the incident of `n`, where several causes in a row are one. By default that of `n`. */
  readonly subject?: string;
  /** A condition on the incident `i` whose cause is gone: it is mended, and did not only go out of sight. Without it, no end is told. */
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
  /** By the clock of the database. */
  readonly now: Date;
  readonly facts: Facts;
}
