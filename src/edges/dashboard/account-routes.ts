/** The route by which owners name their account. */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { SignedIn } from './signed-in.ts';
import type { NamedAccount } from './wire.ts';

export interface AccountRoutesOptions {
  readonly accounts: Pick<Accounts, 'rename'>;
  readonly maxBodyBytes: number;
}

export function accountRoutes({ accounts, maxBodyBytes }: AccountRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/account': {
      patch: signedIn(
        async (person, request, response) => {
          const given = await readMembers(request, response, ['name'], maxBodyBytes);
          const name = parseShortText('name', given.get('name'));
          await accounts.rename(person, name);
          answer(response, 200, { id: person.accountId, name } satisfies NamedAccount);
        },
        { onlyOwners: true },
      ),
    },
  });
}
