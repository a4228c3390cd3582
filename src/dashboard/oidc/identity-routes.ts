/** A person removes an identity. `GET /auth/start?link=1` adds one. */

import { Router } from 'express';
import { unlinkIdentity } from '../../accounts/link-identity.ts';
import { isStorable } from '../../platform/postgres/storable-text.ts';
import { invalidField } from '../../platform/refusal.ts';
import { answer } from '../../web/envelope.ts';
import { readMembers } from '../../web/json-body.ts';
import { methodNotAllowed } from '../../web/not-found.ts';
import type { SignedIn } from '../signed-in.ts';
import type { OidcOptions } from './oidc-options.ts';
import { providerOfIssuer } from './provider.ts';

export function identityRoutes(options: OidcOptions, signedIn: SignedIn): Router {
  const { database, providers, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/dashboard/api/identities')
    .delete(
      signedIn(
        async (person, request, response) => {
          const members = await readMembers(request, response, ['issuer', 'subject'], maxBodyBytes);
          const text = (name: string) => {
            const value = members.get(name);
            if (typeof value !== 'string' || !isStorable(value)) {
              throw invalidField(name, value, 'must be that of an identity');
            }
            return value;
          };
          const identity = { issuer: text('issuer'), subject: text('subject') };
          await unlinkIdentity(
            database,
            person,
            identity,
            ({ issuer }) => providerOfIssuer(providers, issuer) !== undefined,
          );
          answer(response, 200, identity);
        },
        { evenSuspended: true },
      ),
    )
    .all(methodNotAllowed('DELETE'));
  return router;
}
