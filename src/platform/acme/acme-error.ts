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

/** A problem in the server's own, untrusted words. We only bound them, and remove control characters. */
export interface AcmeProblem {
  /** The part after urn:ietf:params:acme:error:, as in rejectedIdentifier. Undefined for other types. */
  readonly type: string | undefined;
  readonly detail: string;
  readonly subproblems: readonly (Pick<AcmeProblem, 'type' | 'detail'> & { readonly hostname?: string })[];
}

interface AcmeErrorOptions extends Partial<AcmeProblem> {
  readonly kind: AcmeFailure;
  /** The status of the answer, if there was one. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
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
  readonly subproblems: AcmeProblem['subproblems'];

  /** `attempt`: the action that failed, as in `create an order`. */
  constructor(attempt: string, { cause, ...problem }: AcmeErrorOptions) {
    const { kind, type, status, detail = '', retryAfterMs, subproblems = [] } = problem;
    const why = [type ?? (status && `status ${status}`), detail].filter(Boolean).join(': ');
    super(`could not ${attempt}${why && `: ${why}`}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.type = type;
    this.status = status;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
    this.subproblems = subproblems;
  }
}

const TYPE_PREFIX = 'urn:ietf:params:acme:error:';
const MAX_TEXT_LENGTH = 1000;
const MAX_SUBPROBLEMS = 10;

/** Text for people. */
const text = z.string().transform(cleanText).catch('');

const problemParts = {
  type: z
    .string()
    .transform((urn) => (urn.startsWith(TYPE_PREFIX) ? urn.slice(TYPE_PREFIX.length) : ''))
    .transform((type) => (/^[A-Za-z0-9]{1,64}$/.test(type) ? type : undefined))
    .optional()
    .catch(undefined),
  detail: text,
};

const subproblemSchema = z
  .object({ ...problemParts, identifier: z.object({ value: text }).optional().catch(undefined) })
  .transform(({ type, detail, identifier }) => ({
    type,
    detail,
    ...(identifier && { hostname: identifier.value }),
  }));

/** Accepts any value: a malformed member counts as missing. */
export const problemSchema = z
  .object({
    ...problemParts,
    subproblems: z
      .array(z.unknown())
      .transform((all) =>
        all.slice(0, MAX_SUBPROBLEMS).flatMap((one) => subproblemSchema.safeParse(one).data ?? []),
      )
      .catch([]),
  })
  .catch({ type: undefined, detail: '', subproblems: [] })
  .transform(({ type, detail, subproblems }): AcmeProblem => ({ type, detail, subproblems }));

/** Returns the kind of failure for the status and the problem type of an answer. */
export function failureOf(status: number, type: string | undefined): AcmeFailure {
  if (status === 429 || type === 'rateLimited') return 'rateLimited';
  const isUnavailable = status < 400 || status >= 500 || type === 'serverInternal' || type === 'badNonce';
  return isUnavailable ? 'unavailable' : 'refused';
}

/**
 * Bounds an untrusted text and puts it on one line. Replaces control and format characters by spaces: they can reorder text in a terminal.
 */
export function cleanText(hostile: string): string {
  return firstCodePoints(hostile, MAX_TEXT_LENGTH)
    .replace(/[\p{C}\p{Z}]/gu, ' ')
    .trim();
}
