/** The failures of calls to an ACME server, and the reading of its problem documents (RFC 8555, section 6.7; RFC 9457). */
import { z } from 'zod';
import { firstCodePoints } from '../code-points.ts';

/**
 * The kind of a failure tells the caller how to go on.
 *
 * | kind | means | the caller's next step |
 * |---|---|---|
 * | unavailable | no answer, a malformed one, or an outage of the server | try again, or try another server |
 * | rateLimited | a limit is exceeded; `type` does not say which | wait for `retryAfterMs`, or try another server |
 * | refused | the server understood, and the answer stays the same | look at `type` |
 */
export type AcmeFailure = 'unavailable' | 'rateLimited' | 'refused';

/** A problem in the server's own words. They are untrusted: we bound them, and remove control characters. */
export interface AcmeProblem {
  /** The part of the type after urn:ietf:params:acme:error:, for example rejectedIdentifier. Undefined for a type without that prefix. */
  readonly type: string | undefined;
  readonly detail: string;
}

interface AcmeErrorOptions extends Partial<AcmeProblem> {
  readonly kind: AcmeFailure;
  /** The status of the answer, if there was one. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether the server answered, but did not decide in time, or could not decide. */
  readonly isUndecided?: boolean;
  readonly cause?: unknown;
}

export class AcmeError extends Error implements AcmeProblem {
  override readonly name = 'AcmeError';
  readonly kind: AcmeFailure;
  readonly type: string | undefined;
  readonly status: number | undefined;
  readonly detail: string;
  /** The wait that the server asks for, in ms, at most a day. */
  readonly retryAfterMs: number | undefined;
  readonly isUndecided: boolean;

  /** `attempt`: the action that failed, for example `create an order`. */
  constructor(attempt: string, { cause, ...problem }: AcmeErrorOptions) {
    const { kind, type, status, detail = '', retryAfterMs, isUndecided = false } = problem;
    const why = [type ?? (status && `status ${status}`), detail].filter(Boolean).join(': ');
    super(`could not ${attempt}${why && `: ${why}`}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.type = type;
    this.status = status;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
    this.isUndecided = isUndecided;
  }
}

const TYPE_PREFIX = 'urn:ietf:params:acme:error:';
const MAX_TEXT_LENGTH = 1000;

/** Accepts any value: a malformed member counts as missing. */
export const problemSchema = z
  .object({
    type: z
      .string()
      .transform((urn) => (urn.startsWith(TYPE_PREFIX) ? urn.slice(TYPE_PREFIX.length) : ''))
      .transform((type) => (/^[A-Za-z0-9]{1,64}$/.test(type) ? type : undefined))
      .optional()
      .catch(undefined),
    detail: z.string().transform(cleanText).catch(''),
  })
  .catch({ type: undefined, detail: '' })
  .transform(({ type, detail }): AcmeProblem => ({ type, detail }));

/** Returns the kind of failure for the status of an answer and the type of its problem. */
export function failureOf(status: number, type: string | undefined): AcmeFailure {
  if (status === 429 || type === 'rateLimited') return 'rateLimited';
  const isUnavailable = status < 400 || status >= 500 || type === 'serverInternal' || type === 'badNonce';
  return isUnavailable ? 'unavailable' : 'refused';
}

/**
 * Bounds an untrusted text and puts it on one line. Replaces control and format characters by spaces, because they can reorder text in a
 * terminal.
 */
function cleanText(hostile: string): string {
  return firstCodePoints(hostile, MAX_TEXT_LENGTH)
    .replace(/[\p{C}\p{Z}]/gu, ' ')
    .trim();
}
