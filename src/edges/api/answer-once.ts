/**
 * Idempotency-Key (spec D62): a client that lost an answer sends its request again, and gets the first answer. The request
 * is not done twice.
 *
 *   first      claim the key → the route → record its answer → send it
 *   again      read the body and compare it → write the site of its change, if that failed → the recorded answer
 *   meanwhile  409
 *
 * If a request fails or is refused, its key is free again, unless the answer is recorded. A change that must not happen twice has its
 * answer recorded in its own transaction. Then a death after COMMIT loses nothing, and a process without the claim at COMMIT changes
 * nothing. Other answers are recorded just before they are sent.
 */
import type { Request, Response } from 'express';
import { sendAnswer } from '../../core/web/envelope.ts';
import {
  answerRecorded,
  answerUnrecorded,
  type RecordedRouteOptions,
  type RecordingRoute,
} from '../../core/web/record-answer.ts';
import { type BodyLimits, receiveBody } from '../../core/web/request-body.ts';
import { digestRequest } from '../../core/web/request-digest.ts';
import type { Claims, FormerAnswer, HeldClaim } from '../../features/idempotency/claims.ts';
import { HEADER, parseRequestKey, requestIdOf } from '../../features/idempotency/request-key.ts';
import type { EnsureWritten } from '../../features/sites/ensure-written.ts';
import type { Shares } from '../../platform/concurrency/shares.ts';
import type { Log } from '../../platform/log.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { shownValue } from '../../platform/shown-value.ts';

export interface AnswerOnceOptions {
  readonly claims: Claims;
  readonly log: Log;
  readonly ensureWritten: EnsureWritten;
  /** The limit of bodies that are read at once only to compare them. */
  readonly comparisons: Shares;
  readonly bodyLimits: BodyLimits;
}

const RETRY_AFTER_SECONDS = 5;
/** The longest wait until the key is free. Postgres ends the statement earlier. */
const FREEING_MS = 3000;
/** The longest wait after a failure. It is short, because Postgres itself may be the cause. */
const FREEING_AFTER_FAILURE_MS = 200;

/** The owner of idempotency keys: an account, or one API key of it if `keyId` is not null. */
export interface Claimant {
  readonly accountId: string;
  readonly keyId: string | null;
}

export async function answerOnce(
  options: AnswerOnceOptions,
  { accountId, keyId }: Claimant,
  request: Request,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  const given = request.get(HEADER);
  if (request.method !== 'POST' || given === undefined) {
    return answerUnrecorded(response, route);
  }
  const key = parseRequestKey(given);
  const taken = await options.claims.take(accountId, requestIdOf(request.method, request.path, key, keyId));
  if (taken === 'under way') throw conflict(key, 'The request with this Idempotency-Key is still under way.');
  if ('open' in taken) await answerAgain(options, accountId, key, taken, request, response);
  else await answerFirst(options, key, taken, request, response, route);
}

async function answerFirst(
  { log }: AnswerOnceOptions,
  key: string,
  held: HeldClaim,
  request: Request,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  using claim = held;
  const digest = digestRequest(request);
  const options: RecordedRouteOptions = {
    log,
    async record(answer, transaction) {
      const isOurs = await claim.record(transaction, { ...answer, ...digest.print() });
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
  const text = former.open();
  await options.ensureWritten(text);
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
  const message = 'has been used for another request within 24 hours. Use a new one for each request.';
  return invalidField(HEADER, key, message);
}

/**
 * Checks whether a request is the one that was answered before. Does not read the body if the body of the first request was not read to
 * its end, or if `Content-Length` already differs. Throws Refusal.
 */
async function isSameRequest(
  { comparisons, bodyLimits }: AnswerOnceOptions,
  accountId: string,
  { digest: former, bodyBytes }: FormerAnswer,
  request: Request,
  response: Response,
): Promise<boolean> {
  const digest = digestRequest(request);
  if (bodyBytes === null) return digest.withoutBody.equals(former);
  const announced = request.headers['content-length'];
  if (announced !== undefined && Number(announced) !== bodyBytes) return false;
  const giveBack = comparisons.take(accountId);
  if (giveBack === undefined) throw tooManyComparisons();
  try {
    for await (const _ of receiveBody(request, response, bodyLimits, 'identity')) {
      if (digest.bytes > bodyBytes) return false;
    }
  } finally {
    giveBack();
  }
  return digest.print().digest.equals(former);
}

function tooManyComparisons(): Refusal {
  const message = 'Too many requests are being compared with those before them. Try again in a moment.';
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
