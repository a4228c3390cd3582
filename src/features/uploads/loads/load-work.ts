/** The state of a load in the process that works on it: the uploader, the attempt and the progress. */
import type { Plans } from '../../accounts/plans.ts';
import { Attempt, type AttemptCounts } from '../attempt.ts';
import type { UploadForm } from '../forms/form.ts';
import type { Uploader } from '../publishing/publication.ts';
import { type Load, type LoadProgress, shownAddress } from './load.ts';
import type { FoundLoad, TakenLoad } from './load-store.ts';

/** The counters of loads, like those of uploads. */
export interface LoadReports {
  received(bytes: number): void;
  /** Called when a process begins to work on a load. The process calls the returned function when it ends its work. */
  loadBegins(): () => void;
  loadEnded(
    outcome: 'accepted' | 'unchanged' | 'held' | 'refused',
    end: { seconds: number; urlCount: number },
  ): void;
}

export class LoadWork {
  readonly load: TakenLoad;
  readonly uploader: Uploader;
  readonly attempt: Attempt;
  readonly #reading = new Map<string, AttemptCounts>();
  readonly #waits = new Map<string, Date>();
  #bytes: number;
  #inflatedBytes: number;
  #urlCount: number;
  #retries: number;
  #form: UploadForm | undefined;
  readonly #reports: LoadReports;
  readonly #takenAt = performance.now();

  constructor(load: TakenLoad, plans: Plans, reports: LoadReports) {
    this.load = load;
    this.#reports = reports;
    this.uploader = { ...actorOf(load), allowance: plans[load.plan] };
    this.attempt = attemptOf(load);
    const { bytes = 0, inflatedBytes = 0, urlCount = 0, retries = 0 } = load.progress ?? {};
    this.#bytes = bytes;
    this.#inflatedBytes = inflatedBytes;
    this.#urlCount = urlCount;
    this.#retries = retries;
  }

  get progress(): LoadProgress {
    const under = [...this.#reading.values()].reduce((sum, { urlCount }) => sum + urlCount, 0);
    const nextTry = [...this.#waits.values()].sort((a, b) => a.getTime() - b.getTime())[0];
    const current = this.#reading.keys().next().value;
    return {
      bytes: this.#bytes,
      inflatedBytes: this.#inflatedBytes,
      urlCount: this.#urlCount + under,
      retries: this.#retries,
      current: current === undefined ? null : shownAddress(current),
      nextTryAt: nextTry?.toISOString() ?? null,
    };
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    this.attempt.counts.bytesReceived = this.#bytes;
    this.#reports.received(bytes);
  }

  /** Adds bytes of entries. Returns how many the load has had so far. */
  inflated(bytes: number): number {
    this.#inflatedBytes += bytes;
    return this.#inflatedBytes;
  }

  waits(url: string, until: Date | undefined): void {
    if (until === undefined) this.#waits.delete(url);
    else {
      this.#retries += 1;
      this.#waits.set(url, until);
    }
  }

  /** Reports the end of the load, once it is stored. */
  ended(outcome: Parameters<LoadReports['loadEnded']>[0], urlCount = 0): void {
    const seconds = (this.load.ageMs + performance.now() - this.#takenAt) / 1000;
    this.#reports.loadEnded(outcome, { seconds, urlCount });
  }

  /** `counts` change while the object is read. */
  begins(url: string, form: UploadForm, counts: AttemptCounts): void {
    this.#form ??= form;
    this.attempt.form = this.#form;
    this.#reading.set(url, counts);
  }

  /** `urlCount` is 0 if the object was not stored, so the entries of an object that is read again do not count twice. */
  ends(url: string, urlCount: number): void {
    this.#reading.delete(url);
    this.#urlCount += urlCount;
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
  return { accountId, keyId, session, address: null, ...(scheduleId !== null && { scheduleId }) };
}
