/**
 * The address of a schedule's hook. The caller proves itself by the token in the address alone: events of buckets and warehouses bring no
 * key.
 */
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { clientOf } from '../../core/web/client-of.ts';
import { sendAnswer } from '../../core/web/envelope.ts';
import { methodNotAllowed } from '../../core/web/not-found.ts';
import { CallerMemory } from '../../features/accounts/caller-memory.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import { type CountOne, rateLimited } from '../../features/accounts/rate-limits.ts';
import { hashToken } from '../../features/accounts/secret-token.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { DescribedOperation } from './operation.ts';
import { answered } from './shapes.ts';

export interface HookNeeds {
  readonly uploads: Pick<Uploads, 'callHook'>;
  readonly admission: Pick<Admissions, 'createLimit'>;
}

const CALLS_PER_MINUTE = 60;
/**
 * The limit of a client in a minute, for calls of addresses that were no hook lately. Calls of hooks have only the limit of their hook: the
 * events of all customers of a cloud come from a few addresses.
 */
const CALLS_OF_CLIENT = 300;

const answer = answered(
  202,
  'A run begins when no call has come for a minute, at the latest 10 minutes after the first one.',
  z.object({ status: z.enum(['queued', 'paused']) }).meta({ id: 'CalledHook' }),
  { status: 'queued' },
);

export const hookOperation: DescribedOperation = {
  id: 'callHook',
  isPublic: true,
  method: 'post',
  path: '/api/hooks/{token}',
  tag: 'Schedules',
  summary: 'Asks for a run of a schedule, by its hook',
  description:
    'For the events of a bucket, or the end of a pipeline. The body is not looked at. Calls while a run waits ask for the same one, and ' +
    'calls while one is under way for exactly one more.',
  answer,
  errors: {
    NOT_FOUND: 'There is no such hook.',
    RATE_LIMIT_EXCEEDED: `The hook was called ${CALLS_PER_MINUTE} times in this minute.`,
  },
};

export function hookRoutes({ uploads, admission }: HookNeeds): Router {
  const ofClient = admission.createLimit('hook-client', CALLS_OF_CLIENT);
  const ofHook = admission.createLimit('hook', CALLS_PER_MINUTE);
  const memory = new CallerMemory();
  const router = Router({ caseSensitive: true, strict: true });
  const call = async (request: Request<{ token: string }>, response: Response) => {
    const { token } = request.params;
    const hash = hashToken(token).toString('base64url');
    if (!memory.wasValidLately(hash)) await within(ofClient, clientOf(request));
    await within(ofHook, hash);
    const isEnabled = await uploads.callHook(token).catch((error) => {
      if (error instanceof Refusal && error.code === 'NOT_FOUND') memory.forget(hash);
      throw error;
    });
    memory.rememberValid(hash);
    // The body stays unread: `sendAnswer` discards it, whatever its length and its encoding.
    sendAnswer(response, answer.envelope({ status: isEnabled ? 'queued' : 'paused' }));
  };
  // Event Grid asks for permission before its first event (CloudEvents 1.0.2, HTTP webhooks, section 4). The answer does not tell whether
  // the hook exists.
  const allow = async (request: Request, response: Response) => {
    await within(ofClient, clientOf(request));
    response.set('WebHook-Allowed-Origin', '*').set('WebHook-Allowed-Rate', String(CALLS_PER_MINUTE)).end();
  };
  const allowed = methodNotAllowed('POST', 'OPTIONS');
  router.route('/api/hooks/:token').post(call).options(allow).all(allowed);
  return router;
}

async function within(count: CountOne, subject: string): Promise<void> {
  const { excess, resetSeconds } = await count(subject);
  if (excess > 0) throw rateLimited(resetSeconds);
}
