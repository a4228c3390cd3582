/**
 * Decides about the invalid entries of an upload: whether it goes on without them, and when there are too many. Lists them, and
 * counts them.
 */
import { Refusal } from '../platform/refusal.ts';
import type { Violation } from '../sitemap/violation.ts';
import type { AttemptCounts } from './attempt.ts';
import { MAX_LISTED_VIOLATIONS, type OnInvalid, type Rejected } from './fragment.ts';
import { isOverPercent } from './percent.ts';
import type { Rejects } from './rejects.ts';
import type { Judgement } from './render-pool.ts';
import type { Tolerance } from './upload-members.ts';

export interface EntryJudgeOptions {
  readonly uploadId: string;
  /** Of the attempt: its `rejected` rises. */
  readonly counts: Pick<AttemptCounts, 'rejected'>;
  /** Known when the first batch begins. */
  readonly tolerance: () => Tolerance;
  /** The number of entries in all, if it is known. Another number is refused anyway. */
  readonly expectedUrlCount: () => number | undefined;
  readonly rejects: Pick<Rejects, 'add' | 'keep'>;
}

export class EntryJudge implements Judgement {
  readonly #options: EntryJudgeOptions;
  readonly #errors: Violation[] = [];
  #errorCount = 0;

  constructor(options: EntryJudgeOptions) {
    this.#options = options;
  }

  /** A dry run goes on, to count all violations. */
  get onInvalid(): OnInvalid {
    const { onInvalid, dryRun } = this.#options.tolerance();
    return dryRun ? 'skip' : onInvalid;
  }

  /** Entries. Undefined if the first one ends the upload. */
  get rejected(): number | undefined {
    return this.onInvalid === 'skip' ? this.#options.counts.rejected : undefined;
  }

  async reject({ entries, violations, count }: Rejected): Promise<void> {
    this.#options.counts.rejected += entries;
    this.#errorCount += count;
    this.#errors.push(...violations.slice(0, MAX_LISTED_VIOLATIONS - this.#errors.length));
    await this.#options.rejects.add(violations);
    if (this.#options.tolerance().dryRun) return;
    const fault = this.#faultOf(this.#options.expectedUrlCount());
    if (fault !== undefined) throw await this.#refusal(fault);
  }

  /** Call it at the end of the body. `entries`: how many came. Throws Refusal. */
  async conclude(entries: number): Promise<void> {
    const { rejected } = this.#options.counts;
    if (rejected === 0) return;
    const fault = rejected === entries ? 'all entries are invalid' : this.#faultOf(entries);
    if (fault !== undefined) throw await this.#refusal(fault);
  }

  /** Lets the account read the list. Call it once the upload may succeed. `uploadId`: that of the answer. */
  async keep(uploadId: string): Promise<void> {
    await this.#options.rejects.keep(uploadId);
  }

  /** Why too many entries are rejected. `total`: undefined while it is not known. */
  #faultOf(total: number | undefined): string | undefined {
    const { onInvalid, maxRejected, maxRejectedPercent } = this.#options.tolerance();
    const { rejected } = this.#options.counts;
    const found = `${counted(rejected, 'entry is', 'entries are')} invalid`;
    // Without `skip`, a dry run ends as the upload does.
    if (onInvalid === 'fail') return found;
    if (maxRejected !== undefined && rejected > maxRejected) {
      return `${found}, and maxRejected is ${maxRejected.toLocaleString('en-US')}`;
    }
    if (maxRejectedPercent === undefined || total === undefined) return undefined;
    if (!isOverPercent(rejected, total, maxRejectedPercent)) return undefined;
    return `${found} of ${total.toLocaleString('en-US')}, and maxRejectedPercent is ${maxRejectedPercent}`;
  }

  async #refusal(fault: string): Promise<Refusal> {
    const { uploadId, tolerance } = this.#options;
    await this.keep(uploadId);
    const { field, value, message } = this.#errors[0]!;
    const first = `${field}: ${message}`;
    const counts = {
      errors: this.#errors,
      errorCount: this.#errorCount,
      rejected: this.#options.counts.rejected,
    };
    const list = { ...counts, uploadId, rejectsUrl: rejectsPath(uploadId) };
    if (tolerance().onInvalid === 'fail') {
      return new Refusal('VALIDATION_ERROR', first, { details: { field, value, ...list } });
    }
    return new Refusal('VALIDATION_ERROR', `urls: ${fault}. The first: ${first}`, {
      details: { field: 'urls', value: null, ...list },
    });
  }
}

/** Where the API has the list. */
export const rejectsPath = (uploadId: string) => `/api/uploads/${uploadId}/rejects`;

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
