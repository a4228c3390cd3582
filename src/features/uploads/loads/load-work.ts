/** The state of a load in the process that works on it: the uploader, the attempt and the progress. */
import type { Plans } from '../../accounts/plans.ts';
import { Attempt, type AttemptCounts } from '../attempt.ts';
import type { UploadForm } from '../forms/form.ts';
import type { Uploader } from '../publishing/publication.ts';
import { type Load, type LoadProgress, shownAddress } from './load.ts';
import { WorkMeter } from './load-places.ts';
import type { FoundLoad, TakenLoad } from './load-store.ts';

/** Counts loads for the metrics. */
export interface LoadReports {
  received(bytes: number): void;
  /** Called when a process begins to work on a load. The process calls the returned function when it ends its work. */
  loadBegins(): () => void;
  loadEnded(
    outcome: 'accepted' | 'unchanged' | 'held' | 'refused',
    end: { seconds: number; urlCount: number },
  ): void;
}

const NO_PROGRESS = { bytes: 0, inflatedBytes: 0, urlCount: 0, retries: 0, current: null, nextTryAt: null };
/** The most warnings of a load. */
const MAX_WARNINGS = 20;

export class LoadWork {
  readonly load: TakenLoad;
  readonly uploader: Uploader;
  readonly attempt: Attempt;
  /** Measures all work but the waits for hosts. */
  readonly meter = new WorkMeter();
  /** The error of the first object whose entries are all invalid. It is the error of the load if no other object has a valid entry. */
  onlyInvalid: unknown;
  readonly #reading = new Map<string, AttemptCounts>();
  readonly #waits = new Map<string, Date>();
  /** The progress, without the objects that are being read. */
  readonly #done: LoadProgress;
  #form: UploadForm | undefined;
  readonly #reports: LoadReports;
  readonly #takenAt = performance.now();

  constructor(load: TakenLoad, plans: Plans, reports: LoadReports) {
    this.load = load;
    this.#reports = reports;
    this.uploader = { ...actorOf(load), allowance: plans[load.plan] };
    this.attempt = attemptOf(load);
    this.#done = { ...NO_PROGRESS, ...load.progress };
  }

  get progress(): LoadProgress {
    const under = this.#reading.values().reduce((sum, { urlCount }) => sum + urlCount, 0);
    const nextTry = [...this.#waits.values()].sort((a, b) => a.getTime() - b.getTime())[0];
    const current = this.#reading.keys().next().value;
    return {
      ...this.#done,
      urlCount: this.#done.urlCount + under,
      current: current === undefined ? null : shownAddress(current),
      nextTryAt: nextTry?.toISOString() ?? null,
    };
  }

  received(bytes: number): void {
    this.#done.bytes += bytes;
    this.attempt.counts.bytesReceived = this.#done.bytes;
    this.#reports.received(bytes);
  }

  /** Adds bytes of decompressed entries. Returns the sum of the load so far. */
  inflated(bytes: number): number {
    this.#done.inflatedBytes += bytes;
    return this.#done.inflatedBytes;
  }

  waits(url: string, until: Date | undefined): void {
    if (until === undefined) this.#waits.delete(url);
    else {
      this.#done.retries += 1;
      this.#waits.set(url, until);
    }
  }

  /** Keeps each warning about an object, unless another object has the same warning. */
  warns(url: string, warnings: readonly string[]): void {
    for (const warning of warnings) {
      const { warnings: known = [] } = this.#done;
      if (known.length >= MAX_WARNINGS || known.some((one) => one.endsWith(`: ${warning}`))) continue;
      this.#done.warnings = [...known, `${shownAddress(url)}: ${warning}`];
    }
  }

  /** Counts the end of the load. Call this once the end is stored. */
  ended(outcome: Parameters<LoadReports['loadEnded']>[0], urlCount = 0): void {
    const seconds = (this.load.ageMs + performance.now() - this.#takenAt) / 1000;
    this.#reports.loadEnded(outcome, { seconds, urlCount });
  }

  /** Called when the body of an object begins. `counts`: the counts of the object. They change while it is read. */
  begins(url: string, form: UploadForm, counts: AttemptCounts): void {
    this.#form ??= form;
    this.attempt.form = this.#form;
    this.#reading.set(url, counts);
  }

  /** `urlCount` is 0 if the object was not stored. So the entries of an object that is read again count once. */
  ends(url: string, urlCount: number): void {
    this.#reading.delete(url);
    this.#done.urlCount += urlCount;
  }
}

/** The attempt of a load, which began when the client or the schedule asked for the load. */
export function attemptOf(load: Load & Pick<FoundLoad, 'ageMs' | 'progress'>): Attempt {
  const { id, keyId, userId, userAgent, ageMs, progress } = load;
  const attempt = new Attempt(id, { encoding: null, userAgent, keyId, userId }, null, ageMs);
  attempt.domain = { id: load.domainId, hostname: load.hostname };
  attempt.sitemapName = load.sitemapName;
  attempt.form = load.asked.form ?? 'xml';
  attempt.counts.bytesReceived = progress?.bytes ?? 0;
  attempt.counts.urlCount = progress?.urlCount ?? 0;
  return attempt;
}

function actorOf({ accountId, keyId, userId, userSessionId, scheduleId }: Load) {
  const session = userSessionId === null ? null : { id: userSessionId, userId: userId! };
  // People sign out, or close their computer, while a load of hours is under way.
  const person = session !== null && { outlivesSession: true as const };
  return { accountId, keyId, session, address: null, ...(scheduleId !== null && { scheduleId }), ...person };
}
