/** The causes of needs. Each is some SQL that finds them, and words for what it found. */
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
  /** The sitemap that it is about, and the upload to look at, if there is one. */
  about?(found: Found<Facts>): { readonly sitemapName: string; readonly uploadId: string | null };
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
