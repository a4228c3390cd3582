/** The route by which a page asks for the outcome of its upload (`keep-outcome.ts`). */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Claims } from '../../features/idempotency/claims.ts';
import type { EnsureWritten } from '../../features/sites/ensure-written.ts';
import { claimOf, parseAttemptToken } from './keep-outcome.ts';
import type { SignedIn } from './signed-in.ts';
import type { AttemptOutcome } from './wire.ts';

export interface AttemptRoutesOptions {
  readonly claims: Pick<Claims, 'find'>;
  readonly ensureWritten: EnsureWritten;
}

const NO_ANSWER = { status: null, answer: null };

export function attemptRoutes(options: AttemptRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/attempts/:token': {
      get: signedIn(async ({ accountId }, request, response) => {
        const token = parseAttemptToken(String(request.params.token));
        answer(response, 200, await findOutcome(options, accountId, token));
      }),
    },
  });
}

async function findOutcome(
  { claims, ensureWritten }: AttemptRoutesOptions,
  accountId: string,
  token: string,
): Promise<AttemptOutcome> {
  const found = await claims.find(accountId, claimOf(token));
  if (found === undefined) return { state: 'unknown', ...NO_ANSWER };
  if (found === 'under way') return { state: 'running', ...NO_ANSWER };
  const text = found.open();
  await ensureWritten(text);
  return { state: 'ended', status: found.status, answer: JSON.parse(text) };
}
