/** Routes of invitations: a person reads one before the sign-in, or accepts one with a session (spec D38). */
import { type Request, type Response, Router } from 'express';
import { clientOf } from '../../../core/web/client-of.ts';
import { answer } from '../../../core/web/envelope.ts';
import { readMembers } from '../../../core/web/json-body.ts';
import { requireKnownQuery } from '../../../core/web/known-query.ts';
import { methodNotAllowed } from '../../../core/web/not-found.ts';
import { rateLimited } from '../../../features/accounts/rate-limits.ts';
import { isToken } from '../../../features/accounts/secret-token.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { requireSameOrigin } from '../same-origin.ts';
import type { SignedIn } from '../signed-in.ts';
import type { AccountChoice, Invitation } from '../wire.ts';
import type { OidcOptions } from './oidc-options.ts';

export function invitationRoutes(options: OidcOptions, signedIn: SignedIn): Router {
  const { origin, invitationCookie, limits, maxBodyBytes } = options;
  const { invitations } = options.accounts;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/auth/invitation')
    .post(async (request, response) => {
      requireSameOrigin(request, origin);
      requireKnownQuery(request, []);
      const seconds = await limits.invitations.count(clientOf(request));
      if (seconds > 0) throw rateLimited(seconds);
      const token = await readToken(request, response, maxBodyBytes);
      const { id, accountName, role, expiresAt } = await invitations.get(token);
      invitationCookie.set(response, token);
      const invitation: Invitation = { id, accountName, role, expiresAt: isoSeconds(expiresAt) };
      answer(response, 200, invitation);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/dashboard/api/invitation/accept')
    .post(
      signedIn(
        async (person, request, response) => {
          const token = await readToken(request, response, maxBodyBytes);
          const { accountId: id, accountName: name, role } = await invitations.accept(person, token);
          invitationCookie.clear(response);
          answer(response, 200, { id, name, role } satisfies AccountChoice);
        },
        { evenSuspended: true, ofAnyAccount: true },
      ),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

/** Reads the token. Its Refusal VALIDATION_ERROR does not repeat the value, which may be most of a real token. */
async function readToken(request: Request, response: Response, maxBodyBytes: number): Promise<string> {
  const token = (await readMembers(request, response, ['token'], maxBodyBytes)).get('token');
  if (typeof token === 'string' && isToken(token)) return token;
  const message = 'token: is not the end of a whole link.';
  throw new Refusal('VALIDATION_ERROR', message, { details: { field: 'token' } });
}
