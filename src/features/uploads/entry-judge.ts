/**
 * Judges the invalid entries of an upload: whether the upload goes on without them, and when they are too many. The judge also lists and
 * counts them.
 */
import { NO_NOTES, type ReadingNotes, sumOfNotes } from '../../core/sitemap/reading.ts';
import { sentenceOf, type Violation } from '../../core/sitemap/violation.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import type { AttemptCounts } from './attempt.ts';
import { MAX_LISTED_VIOLATIONS, type OnInvalid, type Rejected } from './fragment.ts';
import { isOverPercent } from './percent.ts';
import type { Rejects } from './rejects.ts';
import type { Judgement } from './render-pool.ts';
import type { UploadMembers } from './upload-members.ts';
import { ViolationKinds } from './violation-kinds.ts';

const ALL_INVALID = 'all entries are invalid';

/** Members that may be read only after the first entries have come. */
type JudgedMembers = Pick<UploadMembers, 'tolerance' | 'expectedUrlCount'>;

export class EntryJudge implements Judgement {
  readonly #uploadId: string;
  readonly #members: JudgedMembers;
  readonly #counts: Pick<AttemptCounts, 'rejected'>;
  readonly #rejects: Pick<Rejects, 'add' | 'keep'>;
  readonly #errors: Violation[] = [];
  readonly #kinds = new ViolationKinds();
  #errorCount = 0;
  /** The notes on the values of all entries so far. */
  notes: ReadingNotes = NO_NOTES;
  /** The number of records that a condition of the client left out so far. */
  filtered = 0;

  /** `counts` are the counts of the attempt. The judge raises `rejected`. */
  constructor(
    uploadId: string,
    members: JudgedMembers,
    counts: Pick<AttemptCounts, 'rejected'>,
    rejects: Pick<Rejects, 'add' | 'keep'>,
  ) {
    this.#uploadId = uploadId;
    this.#members = members;
    this.#counts = counts;
    this.#rejects = rejects;
  }

  /** The mode for invalid entries. A dry run always goes on, to count all violations. */
  get onInvalid(): OnInvalid {
    const { onInvalid, dryRun } = this.#members.tolerance;
    return dryRun ? 'skip' : onInvalid;
  }

  /** The number of rejected entries. Undefined if the first invalid entry ends the upload. */
  get rejected(): number | undefined {
    return this.onInvalid === 'skip' ? this.#counts.rejected : undefined;
  }

  note(notes: ReadingNotes, filtered: number): void {
    this.notes = sumOfNotes(this.notes, notes);
    this.filtered += filtered;
  }

  async reject({ entries, violations, count, kinds }: Rejected): Promise<void> {
    this.#counts.rejected += entries;
    this.#errorCount += count;
    this.#kinds.addAll(kinds);
    this.#errors.push(...violations.slice(0, MAX_LISTED_VIOLATIONS - this.#errors.length));
    await this.#rejects.add(violations);
    if (this.#members.tolerance.dryRun) return;
    const fault = this.#faultOf(this.#members.expectedUrlCount);
    if (fault !== undefined) throw await this.#refusal(fault);
  }

  /** Call this at the end of the body. `entries` is the number of all entries, without the filtered ones. Throws Refusal. */
  async conclude(entries: number): Promise<void> {
    const { rejected } = this.#counts;
    if (rejected === 0) return;
    const fault = rejected === entries ? ALL_INVALID : this.#faultOf(entries);
    if (fault !== undefined) throw await this.#refusal(fault, { urlCount: entries });
  }

  /** Returns the refusal of a body whose entries are all invalid, for a caller that goes on. `entries` is the number of all entries. */
  refusalOfAll(entries: number): Refusal {
    return this.#refusalOf(ALL_INVALID, { urlCount: entries });
  }

  /** Lets the account read the list of rejected entries. Call this before the upload is published. `uploadId` is the id in the answer. */
  async keep(uploadId: string): Promise<void> {
    await this.#rejects.keep(uploadId);
  }

  /**
   * Returns why the upload is refused for its rejected entries, or undefined if it is not refused. `total` is the number of all entries, or
   * undefined while that number is not known.
   */
  #faultOf(total: number | undefined): string | undefined {
    const { onInvalid, maxRejected, maxRejectedPercent } = this.#members.tolerance;
    const { rejected } = this.#counts;
    const found = `${counted(rejected, 'entry is', 'entries are')} invalid`;
    // A dry run with `fail` reads all entries, and is refused at the end.
    if (onInvalid === 'fail') return found;
    if (maxRejected !== undefined && rejected > maxRejected) {
      return `${found}, and maxRejected is ${maxRejected.toLocaleString('en-US')}`;
    }
    if (maxRejectedPercent === undefined || total === undefined) return undefined;
    if (!isOverPercent(rejected, total, maxRejectedPercent)) return undefined;
    return `${found} of ${total.toLocaleString('en-US')}, and maxRejectedPercent is ${maxRejectedPercent}`;
  }

  /** `whole.urlCount` is the number of all entries. It is absent if not all entries were read. */
  async #refusal(fault: string, whole: { readonly urlCount?: number } = {}): Promise<Refusal> {
    await this.keep(this.#uploadId);
    return this.#refusalOf(fault, whole);
  }

  /** `whole.urlCount` is the number of all entries. It is absent if not all entries were read. */
  #refusalOf(fault: string, whole: { readonly urlCount?: number }): Refusal {
    const uploadId = this.#uploadId;
    const { message: _, ...first } = this.#errors[0]!;
    const sentence = sentenceOf(this.#errors[0]!);
    const { rejected } = this.#counts;
    const counts = { errors: this.#errors, errorCount: this.#errorCount, rejected };
    const list = {
      ...counts,
      ...whole,
      kinds: this.#kinds.told,
      uploadId,
      rejectsUrl: rejectsPath(uploadId),
    };
    if (this.#members.tolerance.onInvalid === 'fail') {
      return new Refusal('VALIDATION_ERROR', sentence, { details: { ...first, ...list } });
    }
    return invalidField('urls', null, `${fault}. The first: ${sentence}`, list);
  }
}

export const rejectsPath = (uploadId: string) => `/api/uploads/${uploadId}/rejects`;

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
