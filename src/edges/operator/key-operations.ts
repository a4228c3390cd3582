/** Operations on API keys of customers, and on the links by which people join an account. */
import { z } from 'zod';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { operatorOf } from '../../features/accounts/actor.ts';
import { invitationLink } from '../../features/accounts/invitation-store.ts';
import { KEY_ACTIONS } from '../../features/accounts/key-actions.ts';
import { parseExpiresAt } from '../../features/accounts/key-expiry.ts';
import type { ApiKeyDescription } from '../../features/accounts/key-store.ts';
import { LINK_MINUTES } from '../../features/accounts/link-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseScope } from '../../features/accounts/parse-scope.ts';
import { ROLES } from '../../features/accounts/role.ts';
import { sayScope } from '../../features/accounts/say-scope.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  described,
  existing,
  id,
  jsonBody,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from '../api/shapes.ts';
import { operatorOperation } from './operator-operation.ts';

export interface KeyNeeds {
  readonly accounts: Pick<Accounts, 'all' | 'keys'>;
  readonly domains: Pick<Domains, 'all'>;
  /** The origin of the dashboard; undefined if there is none. */
  readonly dashboardOrigin: string | undefined;
  /** Whether people sign in with a provider. */
  readonly hasProviders: boolean;
  readonly now: () => Date;
}

const key = z
  .object({
    id: id('key'),
    name: text,
    start: described(text, 'Its first eight characters.'),
    end: described(text.nullable(), 'Its last four characters.'),
    state: z.enum(['valid', 'expired', 'revoked']),
    may: described(text, 'For people: what it may do.'),
    actions: described(z.array(z.enum(KEY_ACTIONS)).nullable(), 'What it may do. Null: everything.'),
    domains: described(
      z.array(text).nullable(),
      'Hostnames of the domains that it is limited to. Deleted ones are not there. Null: no limit.',
    ),
    sitemaps: described(
      z.array(text).nullable(),
      'Names of the sitemaps that it is limited to; `default` is the unnamed one. Null: no limit.',
    ),
    fromRanges: described(
      z.array(text).nullable(),
      'Where it works from, as in `192.0.2.0/24`. Null: everywhere.',
    ),
    creator: described(text.nullable(), 'The person who made it. Null: an operator.'),
    createdAt: time,
    lastUsedAt: described(time.nullable(), 'To the minute.'),
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
  })
  .meta({ id: 'Key' });
const createdKey = z
  .object({ ...key.shape, key: described(text, 'The key. It is never shown again.') })
  .meta({ id: 'CreatedKey' });

const KEY = {
  ...{ id: 'key_c8PXeY16He1Yn79PlDs9c4', name: 'CI', start: 'sk_live_', end: 'x3Qz', state: 'valid' },
  ...{ may: 'upload', actions: ['upload'], domains: null, sitemaps: null, fromRanges: null },
  ...{ creator: null, createdAt: '2026-01-15T10:00:00Z', lastUsedAt: null, expiresAt: null },
  revokedAt: null,
};

const link = z.object({
  link: described(text, 'For one person, once. It is never shown again.'),
  expiresAt: time,
});
const LINK = { link: 'https://api.example.net/dashboard/sign-in#aB3d…', expiresAt: '2026-01-15T10:10:00Z' };

export const newKey = z.strictObject({
  name: text.min(1).max(100),
  expiresAt: described(text.nullish(), 'A date, for 00:00 UTC, or a time, as in `2030-01-31T18:00:00Z`.'),
  actions: described(z.array(z.enum(KEY_ACTIONS)).nullish(), 'What it may do.'),
  domains: described(z.array(text).nullish(), 'Hostnames of domains of the account.'),
  sitemaps: described(z.array(text).nullish(), 'Names; `default` is the unnamed one.'),
  fromRanges: described(z.array(text).nullish(), 'As in `192.0.2.0/24`.'),
});

const NO_ACCOUNT = 'There is no such account.';
const NO_DASHBOARD = 'There is no dashboard: `DASHBOARD_ORIGIN` is not set.';

export const keyOperations = tagged('Keys', [
  operatorOperation('get', '/operator/accounts/{id}/keys', {
    id: 'listKeys',
    summary: 'Lists the keys of an account, the oldest first',
    query: PAGE_QUERY,
    answer: answeredPage('A page of keys.', key, KEY),
    errors: { NOT_FOUND: NO_ACCOUNT },
    async run({ accounts }: KeyNeeds, { path, page }) {
      existing(await accounts.all.find(path.id), 'account');
      return page({
        list: `keys of ${path.id}`,
        read: (limit, after) => accounts.keys.list(path.id, limit, after),
        positionOf: ({ position }) => position,
        show: describeKey,
      });
    },
  }),
  operatorOperation('post', '/operator/accounts/{id}/keys', {
    id: 'createKey',
    summary: 'Makes a key',
    description: 'Members that the body does not have do not limit the key.',
    body: jsonBody(newKey, { name: 'CI', actions: ['upload'] }),
    answer: answered(201, 'The key.', createdKey, { ...KEY, key: 'sk_live_…' }),
    errors: { NOT_FOUND: NO_ACCOUNT },
    async run({ accounts, domains, now }: KeyNeeds, { caller, path, members, showOnce }) {
      const given = await members();
      existing(await accounts.all.find(path.id), 'account');
      const wanted = {
        name: parseShortText('name', given.get('name')),
        expiresAt: parseExpiresAt(given.get('expiresAt'), now()),
        scope: parseScope({
          ...{
            actions: given.get('actions'),
            sitemaps: given.get('sitemaps'),
            fromRanges: given.get('fromRanges'),
          },
          domainIds: await domains.all.findIds(path.id, parseHostnames(given.get('domains'))).then(orNull),
        }),
      };
      const { record, shown } = showOnce(
        ({ key: secret, ...made }: ApiKeyDescription & { readonly key: string }) => ({
          ...describeKey(made),
          key: secret,
        }),
      );
      return shown(await accounts.keys.create(operatorOf(path.id, caller), wanted, record));
    },
  }),
  operatorOperation('get', '/operator/keys/{id}', {
    id: 'getKey',
    summary: 'Shows a key, without its secret',
    answer: answered(200, 'The key.', key, KEY),
    errors: { NOT_FOUND: 'There is no such key.' },
    run: async ({ accounts }: KeyNeeds, { path }) => describeKey(await accounts.keys.getAny(path.id)),
  }),
  operatorOperation('delete', '/operator/keys/{id}', {
    id: 'revokeKey',
    summary: 'Revokes a key at once',
    answer: answered(200, 'The key.', key, { ...KEY, state: 'revoked', revokedAt: '2026-01-16T10:00:00Z' }),
    errors: { NOT_FOUND: 'There is no such key.' },
    run: async ({ accounts }: KeyNeeds, { caller, path }) =>
      describeKey(await accounts.keys.revokeAny(caller, path.id)),
  }),
  operatorOperation('post', '/operator/accounts/{id}/sign-in-links', {
    id: 'createSignInLink',
    summary: 'Makes a link that signs in to the dashboard as an owner',
    description:
      'It signs in an owner that no provider knows. The first link of an account makes this owner.',
    answer: answered(201, 'The link.', link, LINK),
    errors: { NOT_FOUND: NO_ACCOUNT, SERVICE_UNAVAILABLE: NO_DASHBOARD },
    async run({ accounts, dashboardOrigin, now }: KeyNeeds, { caller, path }) {
      const origin = requireDashboard(dashboardOrigin);
      const made = existing(await accounts.all.createSignInLink(path.id, origin, caller), 'account');
      return { link: made, expiresAt: isoSeconds(new Date(now().getTime() + LINK_MINUTES * 60_000)) };
    },
  }),
  operatorOperation('post', '/operator/accounts/{id}/invitations', {
    id: 'createInvitation',
    summary: 'Makes a link with which one person becomes a member',
    body: jsonBody(z.strictObject({ role: z.enum(ROLES).default('owner') }), { role: 'owner' }),
    answer: answered(201, 'The link.', link, {
      ...{ link: 'https://api.example.net/dashboard/invitation#aB3d…', expiresAt: '2026-01-22T10:00:00Z' },
    }),
    errors: {
      NOT_FOUND: NO_ACCOUNT,
      SERVICE_UNAVAILABLE: `${NO_DASHBOARD} Or people sign in with no provider.`,
    },
    async run({ accounts, dashboardOrigin, hasProviders }: KeyNeeds, { caller, path, members }) {
      const given = (await members()).get('role') ?? 'owner';
      const role = ROLES.find((one) => one === given);
      if (role === undefined) throw invalidField('role', given, `must be one of ${ROLES.join(', ')}`);
      const origin = requireDashboard(dashboardOrigin);
      if (!hasProviders) {
        throw new Refusal(
          'SERVICE_UNAVAILABLE',
          'Nobody can sign in with an invitation: no provider is set up.',
        );
      }
      const { token, expiresAt } = await accounts.all.invite(caller, path.id, role);
      return { link: invitationLink(origin, token), expiresAt: isoSeconds(expiresAt) };
    },
  }),
]);

function requireDashboard(origin: string | undefined): string {
  if (origin !== undefined) return origin;
  throw new Refusal('SERVICE_UNAVAILABLE', 'There is no dashboard: DASHBOARD_ORIGIN is not set.');
}

export function parseHostnames(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  const parsed = z.array(z.string().refine(isStorable)).min(1).max(100).safeParse(given);
  if (!parsed.success)
    throw invalidField('domains', given, 'must be a list of 1 to 100 hostnames; leave it out for no limit');
  return parsed.data;
}

const orNull = (ids: readonly string[]) => (ids.length === 0 ? null : ids);

function describeKey(given: ApiKeyDescription): Shown<typeof key> {
  const { prefix, lastFour, scope, hostnames } = given;
  return shownAs(key, {
    ...given,
    ...{ start: prefix, end: lastFour, may: sayScope(given) },
    ...{ actions: scope?.actions ?? null, domains: hostnames },
    sitemaps: scope?.sitemapNames?.map(shownSitemapName) ?? null,
    fromRanges: scope?.ranges ?? null,
    creator: given.creator?.name ?? null,
  });
}
