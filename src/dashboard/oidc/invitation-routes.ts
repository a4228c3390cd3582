/** Invitations: looked at before signing in, or accepted by somebody who is signed in (spec D38). */
import { type Request, type Response, Router } from 'express';
import { acceptInvitation, getInvitation } from '../../accounts/accept-invitation.ts';
import { rateLimited } from '../../accounts/rate-limits.ts';
import { isToken } from '../../accounts/secret-token.ts';
import { notSignedIn } from '../../accounts/session.ts';
import { switchAccount } from '../../accounts/session-store.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { inTransaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { clientOf } from '../../web/client-of.ts';
import { answer } from '../../web/envelope.ts';
import { readMembers } from '../../web/json-body.ts';
import { requireKnownQuery } from '../../web/known-query.ts';
import { methodNotAllowed } from '../../web/not-found.ts';
import { requireSameOrigin } from '../same-origin.ts';
import type { SignedIn } from '../signed-in.ts';
import type { AccountChoice, Invitation } from '../wire.ts';
import type { OidcOptions } from './oidc-options.ts';

export function invitationRoutes(options: OidcOptions, signedIn: SignedIn): Router {
  const { database, origin, invitationCookie, limits, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/auth/invitation')
    .post(async (request, response) => {
      requireSameOrigin(request, origin);
      requireKnownQuery(request, []);
      const seconds = await limits.invitations.count(clientOf(request));
      if (seconds > 0) throw rateLimited(seconds);
      const token = await readToken(request, response, maxBodyBytes);
      const { id, accountName, role, expiresAt } = await getInvitation(database, token);
      invitationCookie.set(response, token);
      const invitation: Invitation = { id, accountName, role, expiresAt: isoSeconds(expiresAt) };
      answer(response, 200, invitation);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/dashboard/api/invitation/accept')
    .post(
      signedIn(
        async ({ session, address }, request, response) => {
          const token = await readToken(request, response, maxBodyBytes);
          const { userId } = session;
          const joined = await inTransaction(database, async (transaction): Promise<AccountChoice> => {
            const { accountId, accountName, role } = await acceptInvitation(transaction, token, {
              userId,
              address,
            });
            // It has ended while the body came. Then nobody joins.
            if (!(await switchAccount(transaction, session, accountId))) throw notSignedIn();
            return { id: accountId, name: accountName, role };
          });
          invitationCookie.clear(response);
          answer(response, 200, joined);
        },
        { evenSuspended: true, ofAnyAccount: true },
      ),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

/** Throws Refusal VALIDATION_ERROR without the value, which may be most of a real one. */
async function readToken(request: Request, response: Response, maxBodyBytes: number): Promise<string> {
  const token = (await readMembers(request, response, ['token'], maxBodyBytes)).get('token');
  if (typeof token === 'string' && isToken(token)) return token;
  const message = 'token: is not the end of a whole link.';
  throw new Refusal('VALIDATION_ERROR', message, { details: { field: 'token' } });
}
