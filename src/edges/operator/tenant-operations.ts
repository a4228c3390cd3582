/** The operation that creates or changes tenants of a platform: accounts with their keys and domains, many in one request. */
import { z } from 'zod';
import { parseExpiresAt } from '../../features/accounts/key-expiry.ts';
import { parsePlanName, parseRef } from '../../features/accounts/parse-account.ts';
import { parseScope } from '../../features/accounts/parse-scope.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { Tenant, WantedTenant } from '../../features/domains/put-tenants.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import { domainState } from '../api/describe-domain.ts';
import { STATE } from '../api/domain-examples.ts';
import { tagged } from '../api/operation.ts';
import { answered, described, id, jsonBody, type Shown, text } from '../api/shapes.ts';
import {
  ACCOUNT,
  account,
  accountName,
  accountRef,
  describeAccount,
  planName,
  suspended,
} from './describe-account.ts';
import { newKey, parseHostnames } from './key-operations.ts';
import { operatorOperation } from './operator-operation.ts';

export interface TenantNeeds {
  readonly domains: Pick<Domains, 'all'>;
  readonly plans: Plans;
  readonly now: () => Date;
}

/**
 * The most tenants of a call. One transaction holds all their accounts. With this many, uploads of these tenants wait for less than a
 * second.
 */
const MOST_TENANTS = 100;
const MOST_OF_EACH = 20;

const wantedDomain = z.strictObject({
  hostname: text.refine(isStorable, 'must be a hostname'),
  website: described(
    z.boolean().nullish(),
    'False says that no website uses the name. It counts when the domain is made.',
  ),
  verified: described(
    z.boolean().nullish(),
    'True: it is served at once, without a look at DNS, now and later. Otherwise it is served when its DNS records are right.',
  ),
});

const wantedTenant = z
  .strictObject({
    ref: accountRef,
    name: accountName,
    plan: planName.default('free'),
    suspended: suspended.nullish(),
    domains: z.array(wantedDomain).max(MOST_OF_EACH).nullish(),
    keys: z.array(newKey).max(MOST_OF_EACH).nullish(),
  })
  .meta({ id: 'WantedTenant' });

const tenantDomain = z.object({
  id: id('domain'),
  hostname: text,
  status: domainState.status,
  cnameTarget: described(text, 'Where the CNAME record must point.'),
});
const tenantKey = z.object({
  id: id('key'),
  name: text,
  key: described(text.nullable(), 'The new key. Null: the account has a valid one of this name.'),
});
const tenant = z
  .object({
    ref: text,
    account: account.nullable(),
    domains: described(z.array(tenantDomain), 'Those of the request, in their order.'),
    keys: described(z.array(tenantKey), 'Those of the request, in their order.'),
    error: described(
      z
        .object({ code: text, message: text, details: z.record(z.string(), z.unknown()).optional() })
        .nullable(),
      'Why nothing of this tenant was done. Null: all was.',
    ),
  })
  .meta({ id: 'Tenant' });

const TENANT = {
  ...{ ref: ACCOUNT.ref, account: ACCOUNT, error: null },
  domains: [
    {
      ...{ id: STATE.id, hostname: STATE.hostname, status: 'verified' },
      cnameTarget: 'k3v9x2m4q7ab.sitemaps.example.net',
    },
  ],
  keys: [{ id: 'key_c8PXeY16He1Yn79PlDs9c4', name: 'CI', key: 'sk_live_…' }],
};

export const tenantOperations = tagged('Accounts', [
  operatorOperation('put', '/operator/tenants', {
    id: 'putTenants',
    summary: `Brings up to ${MOST_TENANTS} tenants to what the body says: accounts, each with domains and keys`,
    description:
      'Each tenant is done whole, or not at all: then its row has an `error`, and the others are done. Send it as often as you like. ' +
      'What a tenant has beside the body stays as it is. A key is made unless the account has a valid one of its name, and shown once.',
    body: {
      ...jsonBody(z.strictObject({ tenants: z.array(wantedTenant).min(1).max(MOST_TENANTS) }), {
        tenants: [
          {
            ...{ ref: ACCOUNT.ref, name: ACCOUNT.name, plan: ACCOUNT.plan },
            domains: [{ hostname: STATE.hostname, verified: true }],
            keys: [{ name: 'CI', actions: ['upload'] }],
          },
        ],
      }),
      isLong: true,
    },
    answer: answered(200, 'A row for each tenant, in their order.', z.object({ tenants: z.array(tenant) }), {
      tenants: [TENANT],
    }),
    async run({ domains, plans, now }: TenantNeeds, { caller, members }) {
      const given = (await members()).get('tenants');
      if (!Array.isArray(given) || given.length === 0 || given.length > MOST_TENANTS)
        throw invalidField('tenants', undefined, `must be a list of 1 to ${MOST_TENANTS} tenants`);
      const refs = new Set<unknown>();
      const parsed = given.map((one) => {
        const wanted = orRefusal(() => parseTenant(one, refs, now()));
        return { ref: refOf(one), wanted };
      });
      const wanted = parsed
        .map((one) => one.wanted)
        .filter((one): one is WantedTenant => !(one instanceof Refusal));
      const outcomes = await domains.all.putTenants(caller, wanted, plans);
      const outcomeOf = new Map(wanted.map((one, i) => [one, outcomes[i]!]));
      return {
        tenants: parsed.map(({ ref, wanted: one }) =>
          one instanceof Refusal ? describeRefused(ref, one) : describeOutcome(ref, outcomeOf.get(one)!),
        ),
      };
    },
  }),
]);

/** Parses a tenant, and adds its ref to `refs`. Throws Refusal VALIDATION_ERROR with the name of the field, also for a ref in `refs`. */
function parseTenant(given: unknown, refs: Set<unknown>, now: Date): WantedTenant {
  const { error, data } = wantedTenant.safeParse(given);
  if (error !== undefined) {
    const { path, message } = error.issues[0]!;
    const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    throw invalidField(field.slice(1) || 'tenant', valueAt(given, path), message);
  }
  const ref = parseRef(data.ref);
  if (refs.has(ref)) throw invalidField('ref', ref, 'is given twice');
  refs.add(ref);
  const keys = data.keys ?? [];
  const names = new Set(keys.map(({ name }) => name));
  if (names.size < keys.length) throw invalidField('keys', undefined, 'must have names that differ');
  const { suspended: isSuspended } = data;
  return {
    ref,
    account: {
      ...{ name: parseShortText('name', data.name), plan: parsePlanName(data.plan) },
      ...(isSuspended != null && { isSuspended }),
    },
    domains: (data.domains ?? []).map(({ hostname, website, verified }) => ({
      ...{ hostname, website: website ?? undefined, isVerified: verified ?? false },
    })),
    keys: keys.map(({ name, expiresAt, domains, actions, sitemaps, fromRanges }) => ({
      name: parseShortText('name', name),
      expiresAt: parseExpiresAt(expiresAt, now),
      scope: parseScope({ actions, sitemaps, fromRanges }),
      hostnames: parseHostnames(domains),
    })),
  };
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown>)?.[name], given);
}

function orRefusal<Result>(parse: () => Result): Result | Refusal {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function refOf(given: unknown): string {
  const ref = (given as { ref?: unknown } | null)?.ref;
  return typeof ref === 'string' ? ref : '';
}

function describeOutcome(ref: string, outcome: Tenant | Refusal): Shown<typeof tenant> {
  if (outcome instanceof Refusal) return describeRefused(ref, outcome);
  return {
    ...{ ref, account: describeAccount(outcome.account), keys: outcome.keys, error: null },
    domains: outcome.domains.map(({ id: domainId, hostname, status, cnameTarget }) => ({
      ...{ id: domainId, hostname, status, cnameTarget },
    })),
  };
}

function describeRefused(ref: string, { code, message, options }: Refusal): Shown<typeof tenant> {
  const error = { code, message, ...(options.details && { details: { ...options.details } }) };
  return { ref, account: null, domains: [], keys: [], error };
}
