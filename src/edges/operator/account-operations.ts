/** Operations on the accounts of customers, by id and by `ref`, the operator's own name. */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Account } from '../../features/accounts/account-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parsePlanName, parseRef, parseSwitch } from '../../features/accounts/parse-account.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { sumUsage } from '../../features/uploads/sum-usage.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { Verb } from '../../platform/verb.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  described,
  done,
  existing,
  id,
  jsonBody,
  PAGE_QUERY,
  text,
} from '../api/shapes.ts';
import {
  ACCOUNT,
  account,
  accountName,
  accountRef,
  describeAccount,
  planName,
  suspended,
  WHOLE_ACCOUNT,
  wholeAccount,
} from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface AccountNeeds {
  readonly accounts: Pick<Accounts, 'all'>;
  readonly domains: Pick<Domains, 'deleteAccount'>;
  readonly sumUsage: Verb<typeof sumUsage>;
  readonly plans: Plans;
  readonly uploadsPerAccount: number;
}

const NOT_FOUND = 'There is no such account.';
const TAKEN = 'Another account has the `ref`.';

const settings = { name: accountName, plan: planName.default('free') };
const EXAMPLE = { name: ACCOUNT.name, plan: ACCOUNT.plan };
const deleted = z.object({ id: id('account'), deleted: done, hostnames: z.array(text) });
const DELETED = { id: ACCOUNT.id, deleted: true, hostnames: ['sitemaps.example.com'] };
const SUSPENDS =
  'All its requests are refused with 403, uploads under way before they are published. Its sitemaps stay served.';
const DELETES =
  'With its keys, domains and sitemaps. The account is suspended first. If the request breaks off, send it again: it deletes the rest.';

export const accountOperations = tagged('Accounts', [
  // A ref may be `suspend` or `usage`. The paths with an id match such a ref too, so this path comes first.
  operatorOperation('put', '/operator/accounts/by-ref/{ref}', {
    id: 'putAccountByRef',
    summary: 'Creates the account with this ref, or brings it to what the body says',
    description:
      'Send it as often as you like, also at the same time: there is one account. Without `suspended` that stays as it is.',
    body: jsonBody(z.strictObject({ ...settings, suspended: suspended.nullish() }), EXAMPLE),
    answer: answered(200, 'The account.', account, ACCOUNT),
    async run({ accounts }: AccountNeeds, { caller, path, members }) {
      const ref = parseRef(path.ref);
      const given = await members();
      const isSuspended = parseSwitch('suspended', given.get('suspended'));
      const wanted = { ...parseSettings(given), ...(isSuspended !== undefined && { isSuspended }) };
      return describeAccount(await accounts.all.put(caller, ref, wanted));
    },
  }),
  operatorOperation('get', '/operator/accounts/by-ref/{ref}', {
    id: 'getAccountByRef',
    summary: 'Shows the account with this ref, its usage and the limits of its plan',
    answer: answered(200, 'The account.', wholeAccount, WHOLE_ACCOUNT),
    errors: { NOT_FOUND },
    run: async (needs: AccountNeeds, { path }) =>
      getWhole(needs, await needs.accounts.all.findByRef(path.ref)),
  }),
  operatorOperation('delete', '/operator/accounts/by-ref/{ref}', {
    id: 'deleteAccountByRef',
    summary: 'Deletes the account with this ref for good',
    description: DELETES,
    answer: answered(200, 'The account is deleted.', deleted, DELETED),
    errors: { NOT_FOUND },
    run: async (needs: AccountNeeds, { path }) =>
      deleteWhole(needs, existing(await needs.accounts.all.findByRef(path.ref), 'account').id),
  }),
  operatorOperation('post', '/operator/accounts', {
    id: 'createAccount',
    summary: 'Creates an account',
    body: jsonBody(z.strictObject({ ...settings, ref: accountRef.nullish() }), {
      ...EXAMPLE,
      ref: ACCOUNT.ref,
    }),
    answer: answered(201, 'The account.', account, ACCOUNT),
    errors: { CONFLICT: TAKEN },
    async run({ accounts }: AccountNeeds, { caller, members, showOnce }) {
      const given = await members();
      const ref = given.get('ref') ?? null;
      const wanted = { ...parseSettings(given), ref: ref === null ? null : parseRef(ref) };
      const { record, shown } = showOnce(describeAccount);
      return shown(await accounts.all.register(caller, wanted, record));
    },
  }),
  operatorOperation('get', '/operator/accounts', {
    id: 'listAccounts',
    summary: 'Lists accounts, the oldest first',
    query: {
      ...PAGE_QUERY,
      plan: described(planName, 'Only those on this plan.'),
      suspended: described(z.enum(['true', 'false']), 'Only those that are suspended, or that are not.'),
    },
    answer: answeredPage('A page of accounts.', account, ACCOUNT),
    async run({ accounts }: AccountNeeds, { request: { query }, page }) {
      const plan = query.plan === undefined ? undefined : parsePlanName(query.plan);
      const isSuspended = switchOf(query, 'suspended');
      return page({
        list: `accounts ${plan ?? ''} ${isSuspended ?? ''}`,
        read: (limit, after) => accounts.all.list(limit, after, { plan, isSuspended }),
        positionOf: ({ position }) => position,
        show: describeAccount,
      });
    },
  }),
  operatorOperation('get', '/operator/accounts/{id}', {
    id: 'getAccount',
    summary: 'Shows an account, its usage and the limits of its plan',
    answer: answered(200, 'The account.', wholeAccount, WHOLE_ACCOUNT),
    errors: { NOT_FOUND },
    run: async (needs: AccountNeeds, { path }) => getWhole(needs, await needs.accounts.all.find(path.id)),
  }),
  operatorOperation('patch', '/operator/accounts/{id}', {
    id: 'changeAccount',
    summary: 'Changes an account',
    description:
      'Members that the body does not have stay as they are. They hold from the next request of the account on.',
    body: jsonBody(
      z.strictObject({
        name: accountName.nullish(),
        plan: planName.nullish(),
        ref: described(accountRef.nullish(), 'Null takes it away.'),
        suspended: suspended.nullish(),
      }),
      { plan: 'pro' },
    ),
    answer: answered(200, 'The changed account.', account, ACCOUNT),
    errors: { NOT_FOUND, CONFLICT: TAKEN },
    async run({ accounts }: AccountNeeds, { caller, path, members }) {
      const given = await members();
      const [name, plan, ref] = ['name', 'plan', 'ref'].map((field) => given.get(field));
      const isSuspended = parseSwitch('suspended', given.get('suspended'));
      const changed = await accounts.all.change(caller, path.id, {
        ...(name != null && { name: parseShortText('name', name) }),
        ...(plan != null && { plan: parsePlanName(plan) }),
        ...(ref !== undefined && { ref: ref === null ? null : parseRef(ref) }),
        ...(isSuspended !== undefined && { isSuspended }),
      });
      return describeAccount(existing(changed, 'account'));
    },
  }),
  ...(['suspend', 'resume'] as const).map((verb) =>
    operatorOperation('post', `/operator/accounts/{id}/${verb}`, {
      id: `${verb}Account`,
      summary: verb === 'suspend' ? 'Suspends an account' : 'Ends the suspension of an account',
      ...(verb === 'suspend' && { description: SUSPENDS }),
      answer: answered(200, 'The account.', account, ACCOUNT),
      errors: { NOT_FOUND },
      async run({ accounts }: AccountNeeds, { caller, path }) {
        const changed = await accounts.all.change(caller, path.id, { isSuspended: verb === 'suspend' });
        return describeAccount(existing(changed, 'account'));
      },
    }),
  ),
  operatorOperation('delete', '/operator/accounts/{id}', {
    id: 'deleteAccount',
    summary: 'Deletes an account for good',
    description: DELETES,
    answer: answered(200, 'The account is deleted.', deleted, DELETED),
    errors: { NOT_FOUND },
    run: async (needs: AccountNeeds, { path }) => deleteWhole(needs, path.id),
  }),
]);

function parseSettings(given: ReadonlyMap<string, unknown>) {
  const name = parseShortText('name', given.get('name'));
  return { name, plan: parsePlanName(given.get('plan') ?? 'free') };
}

/** Returns the value of a switch; undefined if it is absent. Throws Refusal VALIDATION_ERROR. */
export function switchOf(query: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
  const given = queryText(query, name);
  if (given === undefined) return undefined;
  if (given !== 'true' && given !== 'false') throw invalidField(name, given, 'must be true or false');
  return given === 'true';
}

async function getWhole(
  { sumUsage: sum, plans, uploadsPerAccount }: AccountNeeds,
  found: Account | undefined,
) {
  const shown = existing(found, 'account');
  return {
    ...describeAccount(shown),
    usage: await sum(shown.id),
    limits: { ...plans[shown.plan], uploadsUnderWay: uploadsPerAccount },
  };
}

async function deleteWhole({ domains }: AccountNeeds, accountId: string) {
  const hostnames = existing(await domains.deleteAccount(accountId), 'account');
  return { id: accountId, deleted: true as const, hostnames };
}
