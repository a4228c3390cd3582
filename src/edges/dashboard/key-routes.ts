/** API keys of the account, for people (spec 2.2): only here can a customer create and revoke them. */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { parseExpiresAt } from '../../features/accounts/key-expiry.ts';
import type { ApiKeyDescription } from '../../features/accounts/key-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseSwitch } from '../../features/accounts/parse-account.ts';
import { parseScope } from '../../features/accounts/parse-scope.ts';
import { sayScope } from '../../features/accounts/say-scope.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { NeedsRoom } from '../../features/needs/open-needs.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { SignedIn } from './signed-in.ts';
import type { CreatedKey, KeyRow } from './wire.ts';

export interface KeyRoutesOptions {
  readonly accounts: Pick<Accounts, 'keys'>;
  readonly needs: Pick<NeedsRoom, 'getDomain'>;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
}

const MEMBERS = ['name', 'expiresAt', 'actions', 'domain', 'sitemaps', 'fromRanges', 'endsWithCreator'];
/** The most keys in a list: all valid keys, and the newest expired or revoked ones. */
const MAX_LISTED = 500;

export function keyRoutes(options: KeyRoutesOptions, signedIn: SignedIn): Router {
  const { accounts, needs, maxBodyBytes, now } = options;
  return routesOf({
    '/dashboard/api/keys': {
      get: signedIn(async ({ accountId }, _request, response) => {
        const keys = await accounts.keys.listUseful(accountId, MAX_LISTED);
        answer(response, 200, keys.map(describeKey));
      }),
      post: signedIn(async (person, request, response) => {
        const members = await readMembers(request, response, MEMBERS, maxBodyBytes);
        const name = parseShortText('name', members.get('name'));
        const expiresAt = parseExpiresAt(members.get('expiresAt'), now());
        const hostname = members.get('domain') ?? undefined;
        if (hostname !== undefined && typeof hostname !== 'string') {
          throw invalidField('domain', hostname, 'must be a hostname');
        }
        const domain = hostname === undefined ? undefined : await needs.getDomain(person.accountId, hostname);
        const scope = parseScope({
          actions: members.get('actions'),
          domainIds: domain && [domain.id],
          sitemaps: members.get('sitemaps'),
          fromRanges: members.get('fromRanges'),
        });
        const endsWithCreator = parseSwitch('endsWithCreator', members.get('endsWithCreator')) ?? false;
        const wanted = { name, expiresAt, scope, endsWithCreator };
        const { key, ...created } = await accounts.keys.create(person, wanted);
        answer(response, 201, { ...describeKey(created), key } satisfies CreatedKey);
      }),
    },
    '/dashboard/api/keys/:id': {
      delete: signedIn(async (person, request, response) => {
        answer(response, 200, describeKey(await accounts.keys.revoke(person, String(request.params.id))));
      }),
    },
  });
}

function describeKey(key: ApiKeyDescription): KeyRow {
  const { scope: _scope, hostnames: _hostnames, ...row } = key;
  return { ...withShownTimes(row), may: sayScope(key) };
}
