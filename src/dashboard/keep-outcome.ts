/**
 * Keeps the outcome of an upload for its page. A browser may lose an answer that comes before it has sent the
 * whole request, and then sends the request again by itself.
 *
 *   first       claim the token → the route → keep its answer, a refusal too → send it
 *   again       409, without a look at the body
 *   our failure the token is free again: nothing was done, unless the answer was kept in its transaction
 *
 * A lost process holds the token for the lease of its claim.
 */
import type { Request, Response } from 'express';
import type { Claims, HeldClaim } from '../idempotency/claims.ts';
import { HEADER } from '../idempotency/request-key.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Answer } from '../web/envelope.ts';
import { refusalAnswer } from '../web/error-answers.ts';
import { answerRecorded, type RecordingRoute } from '../web/record-answer.ts';
import { ClientGone } from '../web/request-body.ts';
import { ATTEMPT_HEADER, claimOf, parseAttemptToken } from './attempt-token.ts';
import type { Once } from './session-authenticator.ts';

export interface KeepOutcomeOptions {
  readonly claims: Claims;
  readonly database: Database;
  readonly log: Log;
  /** For requests without a token: `answerOnce` of the API, with its options. */
  readonly answerOnce: Once;
}

/** No request is compared with the first one. */
const NO_DIGEST = { digest: Buffer.alloc(0), bodyBytes: null };
/** Postgres itself may be the cause of the failure. */
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
  { database, log }: KeepOutcomeOptions,
  held: HeldClaim,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  using claim = held;
  const record = async (queryable: Queryable, answer: Answer) => {
    if (!(await claim.record(queryable, { ...answer, ...NO_DIGEST }))) throw sentBefore();
  };
  try {
    await answerRecorded({ database, log, record }, response, route);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) await claim.free(FREEING_MS);
    else {
      // Before it is sent: a page that does not get it asks for it at once.
      await record(database, refusalAnswer(refusal)).catch((err) =>
        log.warn({ err }, 'the refusal of an upload could not be kept'),
      );
    }
    throw error;
  }
}

/** A body that did not come to its end published nothing. */
function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ClientGone)) return undefined;
  const message = 'The connection ended before the whole upload had arrived. Nothing was published.';
  return error.refusal ?? new Refusal('BAD_REQUEST', message);
}

function sentBefore(): Refusal {
  return new Refusal('CONFLICT', 'This upload was sent before. Ask for its outcome.', {
    details: { field: ATTEMPT_HEADER },
  });
}
