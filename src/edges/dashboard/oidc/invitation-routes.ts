/** Routes of invitations: a person reads one before the sign-in, or accepts one with a session (spec D38). */
import type { Router } from 'express';
import { clientOf } from '../../../core/web/client-of.ts';
import { answer } from '../../../core/web/envelope.ts';
import { requireKnownQuery } from '../../../core/web/query-text.ts';
import { routesOf } from '../../../core/web/routes-of.ts';
import { rateLimited } from '../../../features/accounts/rate-limits.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import { readLinkToken } from '../link-token.ts';
import { requireSameOrigin } from '../same-origin.ts';
import type { SignedIn } from '../signed-in.ts';
import type { AccountChoice, Invitation } from '../wire.ts';
import type { OidcOptions } from './oidc-options.ts';

export function invitationRoutes(options: OidcOptions, signedIn: SignedIn): Router {
  const { origin, invitationCookie, limits, maxBodyBytes } = options;
  const { invitations } = options.accounts;
  return routesOf({
    '/auth/invitation': {
      post: async (request, response) => {
        requireSameOrigin(request, origin);
        requireKnownQuery(request, []);
        const seconds = await limits.invitations.count(clientOf(request));
        if (seconds > 0) throw rateLimited(seconds);
        const token = await readLinkToken(request, response, maxBodyBytes);
        const { id, accountName, role, expiresAt } = await invitations.get(token);
        invitationCookie.set(response, token);
        const invitation: Invitation = { id, accountName, role, expiresAt: isoSeconds(expiresAt) };
        answer(response, 200, invitation);
      },
    },
    '/dashboard/api/invitation/accept': {
      post: signedIn(
        async (person, request, response) => {
          const token = await readLinkToken(request, response, maxBodyBytes);
          const { accountId: id, accountName: name, role } = await invitations.accept(person, token);
          invitationCookie.clear(response);
          answer(response, 200, { id, name, role } satisfies AccountChoice);
        },
        { evenSuspended: true, ofAnyAccount: true },
      ),
    },
  });
}
