/**
 * Keeps the outcome of an upload for its page. If an answer comes before the browser has sent the whole request, the browser may lose the
 * answer and send the request again by itself.
 *
 *   first       claim the token → the route → keep its answer, a refusal too → send it
 *   again       409, without a look at the body
 *   our failure the token is free again: nothing was done, unless the answer was kept in its transaction
 *   401         the token is free again: the page sends the upload once more when the person has signed in
 *
 * If the process dies, the token stays claimed until the lease of the claim ends.
 */
import type { Request, Response } from 'express';
import { refusalAnswer } from '../../core/web/error-answers.ts';
import {
  answerRecorded,
  type RecordedRouteOptions,
  type RecordingRoute,
} from '../../core/web/record-answer.ts';
import { ClientGone } from '../../core/web/request-body.ts';
import type { Claims, HeldClaim } from '../../features/idempotency/claims.ts';
import { HEADER } from '../../features/idempotency/request-key.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Once } from './session-authenticator.ts';

export interface KeepOutcomeOptions {
  readonly claims: Claims;
  readonly log: Log;
  /** Handles requests without a token: `answerOnce` of the API, with its options. */
  readonly answerOnce: Once;
}

/** The digest is empty, because a repeated request is not compared with the first one. */
const NO_DIGEST = { digest: Buffer.alloc(0), bodyBytes: null };
/** The longest wait, after a failure, until the token is free. It is short, because Postgres itself may be the cause. */
const FREEING_MS = 200;

export async function keepOutcome(
  options: KeepOutcomeOptions,
  accountId: string,
  request: Request,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  const given = request.get(ATTEMPT_HEADER);
  if (request.method !== 'POST' || given === undefined) {
    return options.answerOnce(accountId, request, response, route);
  }
  if (request.get(HEADER) !== undefined) {
    throw new Refusal('BAD_REQUEST', `${ATTEMPT_HEADER} and ${HEADER} do not go together.`);
  }
  const taken = await options.claims.take(accountId, claimOf(parseAttemptToken(given)));
  if (taken === 'under way' || 'open' in taken) throw sentBefore();
  await answerFirst(options, taken, response, route);
}

async function answerFirst(
  { log }: KeepOutcomeOptions,
  held: HeldClaim,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  using claim = held;
  const record: RecordedRouteOptions['record'] = async (answer, transaction) => {
    if (!(await claim.record(transaction, { ...answer, ...NO_DIGEST }))) throw sentBefore();
  };
  try {
    await answerRecorded({ log, record }, response, route);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined || refusal.code === 'UNAUTHORIZED') await claim.free(FREEING_MS);
    else {
      // The refusal is kept before it is sent: a page that loses the answer asks for it at once.
      await record(refusalAnswer(refusal)).catch((err) =>
        log.warn({ err }, 'the refusal of an upload could not be kept'),
      );
    }
    throw error;
  }
}

/**
 * Returns the refusal in an error. A body that broke off counts as a refusal, because it published nothing. Its code is not that of a wrong
 * file, so the page offers to send the same file again.
 */
function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ClientGone)) return undefined;
  const message = 'The connection ended before the whole upload had arrived. Nothing was published.';
  return new Refusal('REQUEST_TIMEOUT', message);
}

function sentBefore(): Refusal {
  return new Refusal('CONFLICT', 'This upload was sent before. Ask for its outcome.', {
    details: { field: ATTEMPT_HEADER },
  });
}

/** A page makes a token for each of its uploads, and asks for the outcome of the upload by this token. */
export const ATTEMPT_HEADER = 'Waypost-Attempt';
const TOKEN = /^[A-Za-z0-9]{22}$/;

/** Parses the token. Throws Refusal BAD_REQUEST. */
export function parseAttemptToken(given: string): string {
  if (TOKEN.test(given)) return given;
  throw new Refusal('BAD_REQUEST', `${ATTEMPT_HEADER} must be 22 letters and digits.`);
}

/** Returns the name of the token's claim (features/idempotency/claims.ts). Claims by Idempotency-Key have names without a blank. */
export const claimOf = (token: string) => `attempt ${token}`;
