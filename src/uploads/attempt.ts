/** An attempt to upload: what is known of it while it is under way, and what is kept when it has ended (spec D64). */
import { Refusal } from '../platform/refusal.ts';
import { steadyNow } from '../platform/steady-clock.ts';
import type { Violation } from '../sitemap/violation.ts';
import type { UploadForm } from './forms/form.ts';
import type { UploadDomain } from './upload-members.ts';

export type AttemptOutcome = 'published' | 'refused' | 'held' | 'failed' | 'abandoned' | 'dry_run';

/** Where it comes from. */
export interface AttemptSource {
  readonly form: UploadForm;
  /** The Content-Encoding; null if there is none. */
  readonly encoding: string | null;
  readonly userAgent: string | null;
  /** Null for a person. */
  readonly keyId: string | null;
  /** Null for a key. */
  readonly userId: string | null;
}

/** How far it is. */
export interface AttemptCounts {
  /** As sent. */
  bytesReceived: number;
  /** Rendered. */
  urlCount: number;
  /** Given to the store. */
  fileCount: number;
  /** Entries. */
  rejected: number;
}

const noCounts = (): AttemptCounts => ({ bytesReceived: 0, urlCount: 0, fileCount: 0, rejected: 0 });

/** The members that both have. Times are ISO texts, as in the statements. */
interface KnownAttempt extends AttemptSource, Readonly<AttemptCounts> {
  readonly id: string;
  readonly domainId: string;
  /** Empty for the unnamed one; null: it is not known yet, or never came. */
  readonly sitemapName: string | null;
  readonly startedAt: string;
}

/** What other processes see of it. */
export interface RunningAttempt extends KnownAttempt {
  /** As sent; null if the client did not say. */
  readonly bytesTotal: number | null;
}

export interface EndedAttempt extends KnownAttempt {
  readonly outcome: AttemptOutcome;
  readonly endedAt: string;
  /** Null unless published. */
  readonly seq: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: readonly Violation[];
  readonly errorCount: number;
}

const MAX_USER_AGENT_LENGTH = 256;
const MAX_MESSAGE_LENGTH = 2000;
const MAX_ERRORS = 100;
/** Of all violations, as JSON. So 1,000 attempts of a domain have at most 32 MB. */
const MAX_ERRORS_LENGTH = 32_000;

export class Attempt {
  readonly counts = noCounts();
  /** Of the upload. It changes if its files are cut again. */
  id: string;
  /** Known before `domain`. */
  form: UploadForm = 'json';
  domain: UploadDomain | undefined;
  /** Empty for the unnamed sitemap. Undefined until the body says so, or if it never does. */
  sitemapName: string | undefined;
  /** Nothing will be published. Known with the first entries. */
  isDryRun = false;
  readonly #source: Omit<AttemptSource, 'form'>;
  readonly #bytesTotal: number | null;
  readonly #startedAt = new Date();
  readonly #startedSteadily = steadyNow();

  /** `bytesTotal`: as sent; null if the client did not say. */
  constructor(id: string, source: Omit<AttemptSource, 'form'>, bytesTotal: number | null = null) {
    this.id = id;
    this.#bytesTotal = bytesTotal;
    const userAgent = source.userAgent && storable(source.userAgent, MAX_USER_AGENT_LENGTH);
    this.#source = { ...source, userAgent };
  }

  /** Undefined while its domain is not known. */
  get progress(): RunningAttempt | undefined {
    if (this.domain === undefined) return undefined;
    return {
      ...{ id: this.id, domainId: this.domain.id, sitemapName: this.sitemapName ?? null },
      form: this.form,
      ...this.#source,
      ...this.counts,
      bytesTotal: this.#bytesTotal,
      startedAt: this.#startedAt.toISOString(),
    };
  }

  /** Call it only when the domain is known. */
  publish(seq: number): EndedAttempt {
    return { ...this.#ended('published', null), sitemapName: this.sitemapName ?? '', seq };
  }

  /** Undefined if its domain never came. `error`: why it was refused; anything else is not kept. */
  end(outcome: AttemptOutcome, error: unknown): EndedAttempt | undefined {
    if (this.domain === undefined) return undefined;
    return this.#ended(outcome, error instanceof Refusal ? error : null);
  }

  #ended(outcome: AttemptOutcome, refusal: Refusal | null): EndedAttempt {
    const { errors, errorCount } = refusal?.options.details ?? {};
    return {
      ...this.progress!,
      outcome,
      // Never before its start, even if the clock was set back meanwhile.
      endedAt: new Date(this.#startedAt.getTime() + steadyNow() - this.#startedSteadily).toISOString(),
      seq: null,
      code: refusal?.code ?? null,
      message: refusal && storable(refusal.message, MAX_MESSAGE_LENGTH),
      errors: Array.isArray(errors) ? firstErrors(errors) : [],
      errorCount: typeof errorCount === 'number' ? errorCount : 0,
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

/** Postgres takes no NUL and no lone surrogate in a text. */
function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll('\0', '\uFFFD').toWellFormed();
}
