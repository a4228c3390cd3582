/** What became of an upload of a page (`keep-outcome.ts`). */
import { Router } from 'express';
import type { Claims } from '../idempotency/claims.ts';
import { openAnswer } from '../idempotency/open-answer.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { claimOf, parseAttemptToken } from './attempt-token.ts';
import type { SignedIn } from './signed-in.ts';
import type { AttemptOutcome } from './wire.ts';

export interface AttemptRoutesOptions {
  readonly claims: Pick<Claims, 'find'>;
}

const NO_ANSWER = { status: null, answer: null };

export function attemptRoutes({ claims }: AttemptRoutesOptions, signedIn: SignedIn): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/attempts/:token')
    .get(
      signedIn(async ({ accountId }, request, response) => {
        const token = parseAttemptToken(String(request.params.token));
        answer(response, 200, outcomeOf(await claims.find(accountId, claimOf(token))));
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function outcomeOf(found: Awaited<ReturnType<Claims['find']>>): AttemptOutcome {
  if (found === undefined) return { state: 'unknown', ...NO_ANSWER };
  if (found === 'under way') return { state: 'running', ...NO_ANSWER };
  return { state: 'ended', status: found.status, answer: JSON.parse(openAnswer(found)) };
}
