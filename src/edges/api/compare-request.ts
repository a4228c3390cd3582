/** Checks whether a request is the one that was answered before. The body is read only for this comparison. */
import type { Request, Response } from 'express';
import { type BodyLimits, receiveBody } from '../../core/web/request-body.ts';
import { digestRequest } from '../../core/web/request-digest.ts';
import type { FormerAnswer } from '../../features/idempotency/claims.ts';
import type { Shares } from '../../platform/concurrency/shares.ts';
import { Refusal } from '../../platform/refusal.ts';

export interface CompareRequestOptions {
  /** The limit of bodies that are read at once only to compare them. */
  readonly comparisons: Shares;
  readonly bodyLimits: BodyLimits;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Compares the request with the first one. Does not read the body if the body of the first request was not read to its end, or if
 * `Content-Length` already differs. Throws Refusal.
 */
export async function isSameRequest(
  { comparisons, bodyLimits }: CompareRequestOptions,
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
