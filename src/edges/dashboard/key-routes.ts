/** API keys of the account, for people (spec 2.2): only here can a customer create and revoke them. */
import { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { methodNotAllowed } from '../../core/web/not-found.ts';
import { parseExpiresAt } from '../../features/accounts/key-expiry.ts';
import type { ApiKeyDescription } from '../../features/accounts/key-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { SignedIn } from './signed-in.ts';
import type { CreatedKey, KeyRow } from './wire.ts';

export interface KeyRoutesOptions {
  readonly accounts: Pick<Accounts, 'keys'>;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
}

/** The most keys in a list: all valid keys, and the newest expired or revoked ones. */
const MAX_LISTED = 500;

export function keyRoutes(options: KeyRoutesOptions, signedIn: SignedIn): Router {
  const { accounts, maxBodyBytes, now } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/keys')
    .get(
      signedIn(async ({ accountId }, _request, response) => {
        const keys = await accounts.keys.listUseful(accountId, MAX_LISTED);
        answer(response, 200, keys.map(describeKey));
      }),
    )
    .post(
      signedIn(async (person, request, response) => {
        const members = await readMembers(request, response, ['name', 'expiresAt'], maxBodyBytes);
        const name = parseShortText('name', members.get('name'));
        const expiresAt = parseExpiresAt(members.get('expiresAt'), now());
        const { key, ...created } = await accounts.keys.create(person, { name, expiresAt });
        answer(response, 201, { ...describeKey(created), key } satisfies CreatedKey);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/dashboard/api/keys/:id')
    .delete(
      signedIn(async (person, request, response) => {
        answer(response, 200, describeKey(await accounts.keys.revoke(person, String(request.params.id))));
      }),
    )
    .all(methodNotAllowed('DELETE'));

  return router;
}

function describeKey(key: ApiKeyDescription): KeyRow {
  const { id, name, prefix, lastFour, state } = key;
  return {
    ...{ id, name, prefix, lastFour, state },
    createdAt: isoSeconds(key.createdAt),
    lastUsedAt: key.lastUsedAt && isoSeconds(key.lastUsedAt),
    expiresAt: key.expiresAt && isoSeconds(key.expiresAt),
    revokedAt: key.revokedAt && isoSeconds(key.revokedAt),
    creator: key.creator,
  };
}
