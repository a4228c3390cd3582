/** The route by which a person removes an identity. `GET /auth/start?link=1` begins to add one. */
import type { Router } from 'express';
import { answer } from '../../../core/web/envelope.ts';
import { readMembers } from '../../../core/web/json-body.ts';
import { routesOf } from '../../../core/web/routes-of.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { isStorable } from '../../../platform/storable-text.ts';
import type { SignedIn } from '../signed-in.ts';
import type { OidcOptions } from './oidc-options.ts';
import { providerOfIssuer } from './provider.ts';

export function identityRoutes(options: OidcOptions, signedIn: SignedIn): Router {
  const { accounts, providers, maxBodyBytes } = options;
  return routesOf({
    '/dashboard/api/identities': {
      delete: signedIn(
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
          await accounts.unlinkIdentity(
            person,
            identity,
            ({ issuer }) => providerOfIssuer(providers, issuer) !== undefined,
          );
          answer(response, 200, identity);
        },
        { evenSuspended: true },
      ),
    },
  });
}
