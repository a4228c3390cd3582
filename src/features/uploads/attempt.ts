/** An attempt to upload: its progress while it is running, and its record when it has ended (spec D64). */
import type { Violation } from '../../core/sitemap/violation.ts';
import { Refusal } from '../../platform/refusal.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import { currentTrace } from '../../platform/trace/trace-context.ts';
import type { UploadForm } from './forms/form.ts';
import type { ToldDialect } from './forms/told-dialect.ts';
import type { UploadDomain } from './upload-members.ts';
import type { ViolationKind } from './violation-kinds.ts';

export type AttemptOutcome =
  | 'published'
  | 'unchanged'
  | 'refused'
  | 'held'
  | 'failed'
  | 'abandoned'
  | 'dry_run'
  | 'canceled';

export interface AttemptSource {
  readonly form: UploadForm;
  /** The Content-Encoding. Null: the body has none. */
  readonly encoding: string | null;
  readonly userAgent: string | null;
  /** Null if a person or a schedule uploads. */
  readonly keyId: string | null;
  /** Null if a key or a schedule uploads. */
  readonly userId: string | null;
}

export interface AttemptCounts {
  /** The received bytes of the body, as sent. */
  bytesReceived: number;
  /** The rendered entries. */
  urlCount: number;
  /** The files that were sent to the store. */
  fileCount: number;
  /** The invalid entries that were left out. */
  rejected: number;
}

const noCounts = (): AttemptCounts => ({ bytesReceived: 0, urlCount: 0, fileCount: 0, rejected: 0 });

/** The members that running and ended attempts share. Times are texts of ISO 8601. */
interface KnownAttempt extends AttemptSource, Readonly<AttemptCounts> {
  readonly id: string;
  readonly domainId: string;
  /** Empty for the unnamed sitemap. Null if it is not known yet, or if the attempt ended before it was known. */
  readonly sitemapName: string | null;
  readonly startedAt: string;
}

/** The view that other processes have of a running attempt. */
export interface RunningAttempt extends KnownAttempt {
  /** The length of the body as sent. Null if the client did not give it. */
  readonly bytesTotal: number | null;
}

export interface EndedAttempt extends KnownAttempt {
  readonly outcome: AttemptOutcome;
  readonly endedAt: string;
  /** The generation that the attempt made or found unchanged. Null for all other outcomes. */
  readonly seq: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: readonly Violation[];
  readonly errorCount: number;
  readonly kinds: readonly ViolationKind[];
  /** The dialect in which the body was read. Null if `toldDialect` has nothing to report. */
  readonly dialect: ToldDialect | null;
}

const MAX_USER_AGENT_LENGTH = 256;
const MAX_MESSAGE_LENGTH = 2000;
const MAX_ERRORS = 100;
/** The most bytes of all violations of an attempt, as JSON. A domain keeps 1,000 attempts, so their violations have at most 32 MB. */
const MAX_ERRORS_LENGTH = 32_000;

export class Attempt {
  readonly counts = noCounts();
  readonly trace = currentTrace();
  /** The id of the upload. It changes if the files are cut again. */
  id: string;
  /** `acceptUpload` sets the form before `domain`. */
  form: UploadForm = 'json';
  domain: UploadDomain | undefined;
  /** Empty for the unnamed sitemap. Undefined while it is not known which sitemap the request means. */
  sitemapName: string | undefined;
  /** Whether this is a dry run, which publishes nothing. The value is known when the first entries come. */
  isDryRun = false;
  /** Returns the dialect in which the body was read so far. */
  tellDialect: () => ToldDialect | undefined = () => undefined;
  readonly #source: Omit<AttemptSource, 'form'>;
  readonly #bytesTotal: number | null;
  readonly #startedAt: Date;
  readonly #startedSteadily: number;

  /**
   * `bytesTotal` is the length of the body as sent, or null if the client did not give the length. `ageMs`: how long ago the attempt
   * began.
   */
  constructor(id: string, source: Omit<AttemptSource, 'form'>, bytesTotal: number | null = null, ageMs = 0) {
    this.id = id;
    this.#startedAt = new Date(Date.now() - ageMs);
    this.#startedSteadily = steadyNow() - ageMs;
    this.#bytesTotal = bytesTotal;
    const userAgent = source.userAgent && storable(source.userAgent, MAX_USER_AGENT_LENGTH);
    this.#source = { ...source, userAgent };
  }

  /** The progress of the attempt. Undefined while its domain is not known. */
  get progress(): RunningAttempt | undefined {
    if (this.domain === undefined) return undefined;
    return {
      id: this.id,
      domainId: this.domain.id,
      sitemapName: this.sitemapName ?? null,
      form: this.form,
      ...this.#source,
      ...this.counts,
      bytesTotal: this.#bytesTotal,
      startedAt: this.#startedAt.toISOString(),
    };
  }

  /** Call this only when the domain is known. */
  publish(seq: number, outcome: 'published' | 'unchanged' = 'published'): EndedAttempt {
    return { ...this.#ended(outcome, null), sitemapName: this.sitemapName ?? '', seq };
  }

  /** Returns undefined if the domain never became known. The record has the code and the message of `error` only if it is a Refusal. */
  end(outcome: AttemptOutcome, error: unknown): EndedAttempt | undefined {
    if (this.domain === undefined) return undefined;
    return this.#ended(outcome, error instanceof Refusal ? error : null);
  }

  #ended(outcome: AttemptOutcome, refusal: Refusal | null): EndedAttempt {
    const { errors, errorCount, kinds } = refusal?.options.details ?? {};
    return {
      ...this.progress!,
      outcome,
      // The steady clock keeps the end from being before the start, even if the system clock is set back meanwhile.
      endedAt: new Date(this.#startedAt.getTime() + steadyNow() - this.#startedSteadily).toISOString(),
      seq: null,
      code: refusal?.code ?? null,
      message: refusal && storable(refusal.message, MAX_MESSAGE_LENGTH),
      errors: Array.isArray(errors) ? firstErrors(errors) : [],
      errorCount: typeof errorCount === 'number' ? errorCount : 0,
      kinds: Array.isArray(kinds) ? kinds : [],
      dialect: this.tellDialect() ?? null,
    };
  }
}

function firstErrors(errors: readonly Violation[]): Violation[] {
  let length = 0;
  const fits = (violation: Violation) => {
    length += Buffer.byteLength(JSON.stringify(violation));
    return length <= MAX_ERRORS_LENGTH;
  };
  return errors.slice(0, MAX_ERRORS).filter(fits);
}

/** Postgres refuses NUL and lone surrogates in a text. */
function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll('\0', '\uFFFD').toWellFormed();
}
