/** API keys of the account, for people (spec 2.2): only here can a customer create and revoke them. */
import { Router } from 'express';
import { createKeyAs, revokeKeyAs } from '../accounts/change-keys.ts';
import { parseExpiresAt } from '../accounts/key-expiry.ts';
import { type ApiKeyDescription, listUsefulKeys } from '../accounts/key-store.ts';
import { parseShortText } from '../accounts/short-text.ts';
import type { NewId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { SignedIn } from './signed-in.ts';
import type { CreatedKey, KeyRow } from './wire.ts';

export interface KeyRoutesOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
}

/** All valid ones, and the newest of the others. */
const MAX_LISTED = 500;

export function keyRoutes(options: KeyRoutesOptions, signedIn: SignedIn): Router {
  const { database, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/keys')
    .get(
      signedIn(async ({ accountId }, _request, response) => {
        const keys = await listUsefulKeys(database, accountId, MAX_LISTED);
        answer(response, 200, keys.map(describeKey));
      }),
    )
    .post(
      signedIn(async (person, request, response) => {
        const members = await readMembers(request, response, ['name', 'expiresAt'], maxBodyBytes);
        const name = parseShortText('name', members.get('name'));
        const expiresAt = parseExpiresAt(members.get('expiresAt'), options.now());
        const { key, ...created } = await createKeyAs(person, options, { name, expiresAt });
        answer(response, 201, { ...describeKey(created), key } satisfies CreatedKey);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/dashboard/api/keys/:id')
    .delete(
      signedIn(async (person, request, response) => {
        answer(response, 200, describeKey(await revokeKeyAs(person, database, String(request.params.id))));
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
