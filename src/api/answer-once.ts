/**
 * Idempotency-Key (spec D62): a client that lost an answer sends its request again, and gets the first answer. The request
 * is not done twice.
 *
 *   first      claim the key → the route → record its answer → send it
 *   again      read the body and compare it → make it true, if it is not yet → the recorded answer
 *   meanwhile  409
 *
 * The key of a request that fails or is refused is free again: nothing was done. A change that must not happen twice has its
 * answer recorded in its own transaction. Then a death after COMMIT loses nothing, and whoever lost the claim before COMMIT
 * changes nothing. Other answers are recorded just before they are sent.
 */
import type { Request, Response } from 'express';
import type { Claims, FormerAnswer, HeldClaim } from '../idempotency/claims.ts';
import { openAnswer } from '../idempotency/open-answer.ts';
import { HEADER, parseRequestKey, requestIdOf } from '../idempotency/request-key.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { shownValue } from '../platform/shown-value.ts';
import type { KeepPromise } from '../sites/promised-site.ts';
import { sendAnswer } from '../web/envelope.ts';
import { answerRecorded, type RecordedRouteOptions, type RecordingRoute } from '../web/record-answer.ts';
import { digestRequest } from '../web/request-digest.ts';
import { type CompareRequestOptions, isSameRequest } from './compare-request.ts';

export interface AnswerOnceOptions extends CompareRequestOptions {
  readonly claims: Claims;
  readonly database: Database;
  readonly log: Log;
  readonly keepPromise: KeepPromise;
}

const RETRY_AFTER_SECONDS = 5;
/** Postgres gives up on the statement before. */
const FREEING_MS = 3000;
/** Postgres itself may be the cause of the failure. */
const FREEING_AFTER_FAILURE_MS = 200;

export async function answerOnce(
  options: AnswerOnceOptions,
  accountId: string,
  request: Request,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  const given = request.get(HEADER);
  if (request.method !== 'POST' || given === undefined) {
    await route(async () => {});
    return;
  }
  const key = parseRequestKey(given);
  const taken = await options.claims.take(accountId, requestIdOf(request.method, request.path, key));
  if (taken === 'under way') throw conflict(key, 'The request with this Idempotency-Key is still under way.');
  if ('open' in taken) await answerAgain(options, accountId, key, taken, request, response);
  else await answerFirst(options, key, taken, request, response, route);
}

async function answerFirst(
  { database, log }: AnswerOnceOptions,
  key: string,
  held: HeldClaim,
  request: Request,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  using claim = held;
  const digest = digestRequest(request);
  const options: RecordedRouteOptions = {
    database,
    log,
    async record(queryable, answer) {
      const isOurs = await claim.record(queryable, { ...answer, ...digest.print() });
      if (!isOurs) throw conflict(key, 'Another request with this Idempotency-Key has taken over.');
    },
  };
  try {
    await answerRecorded(options, response, route);
  } catch (error) {
    await claim.free(error instanceof Refusal ? FREEING_MS : FREEING_AFTER_FAILURE_MS);
    throw error;
  }
}

async function answerAgain(
  options: AnswerOnceOptions,
  accountId: string,
  key: string,
  former: FormerAnswer,
  request: Request,
  response: Response,
): Promise<void> {
  if (!(await isSameRequest(options, accountId, former, request, response))) throw otherRequest(key);
  const text = openAnswer(former);
  await options.keepPromise(text);
  response.set('Idempotency-Replayed', 'true');
  sendAnswer(response, { status: former.status, text });
}

function conflict(key: string, problem: string): Refusal {
  return new Refusal('CONFLICT', `${problem} Send it again in a moment.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    details: { field: HEADER, value: shownValue(key) },
  });
}

function otherRequest(key: string): Refusal {
  const message = `${HEADER}: has been used for another request within 24 hours. Use a new one for each request.`;
  return new Refusal('VALIDATION_ERROR', message, { details: { field: HEADER, value: shownValue(key) } });
}
