/** Operations that show the usage of accounts by day, for bills (docs/decisions/0078). */
import { z } from 'zod';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import {
  ACCOUNT_USAGE_COLUMNS,
  type AskedSpan,
  daysOfAccounts,
  type UsageOfAccount,
} from '../../features/usage/read-usage.ts';
import { pagesOf } from '../../platform/pages-of.ts';
import { csvOf, formOf } from '../api/answer-form.ts';
import { tagged } from '../api/operation.ts';
import { answeredPage, existing, id, orCsv, PAGE_QUERY } from '../api/shapes.ts';
import {
  answerUsage,
  askedSpan,
  USAGE,
  USAGE_ANSWER,
  USAGE_FORMS,
  USAGE_QUERY,
  type UsageNeeds,
  usage,
} from '../api/usage-operations.ts';
import { ACCOUNT, account } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface AccountUsageNeeds extends UsageNeeds {
  readonly accounts: Pick<Accounts, 'all'>;
}

/** The accounts that are read at once. An account has up to 400 days. */
const CSV_ACCOUNTS_AT_ONCE = 100;

const accountUsage = z
  .object({ accountId: id('account'), ref: account.shape.ref, ...usage.shape })
  .meta({ id: 'AccountUsage' });

export const accountUsageOperations = tagged('Accounts', [
  operatorOperation('get', '/operator/usage', {
    id: 'listUsage',
    summary: 'Lists what all accounts used, by day, the oldest account first',
    description: 'As CSV it has no pages: `limit` and `cursor` do not count.',
    query: { ...PAGE_QUERY, ...USAGE_QUERY },
    answer: orCsv(
      answeredPage('A page of accounts, each with its days.', accountUsage, {
        ...{ accountId: ACCOUNT.id, ref: ACCOUNT.ref },
        ...USAGE,
      }),
      'A row for each account and day. The first row has the names of the columns.',
      `${ACCOUNT_USAGE_COLUMNS.join(',')}\r\n`,
    ),
    async run(needs: AccountUsageNeeds, { request, response, page }) {
      const asked = askedSpan(request);
      if (formOf(request, response, USAGE_FORMS) === 'csv') return csvOfAll(needs, asked);
      return page({
        list: `usage ${asked.from ?? ''} ${asked.to ?? ''}`,
        read: (limit, after) => needs.usage.ofAccounts(asked, needs.now(), limit, after),
        positionOf: ({ position }) => position,
        show: ({ position: _position, ...shown }) => shown,
      });
    },
  }),
  operatorOperation('get', '/operator/accounts/{id}/usage', {
    id: 'getAccountUsage',
    summary: 'Shows what an account used, by day',
    description:
      'The account sees the same at `GET /api/usage`, also as CSV. Each request, upload and answer counts once.',
    query: USAGE_QUERY,
    answer: USAGE_ANSWER,
    errors: { NOT_FOUND: 'There is no such account.' },
    async run(needs: AccountUsageNeeds, { path, request, response }) {
      const { id: accountId } = existing(await needs.accounts.all.find(path.id), 'account');
      return answerUsage(needs, accountId, request, response);
    },
  }),
]);

function csvOfAll({ usage: { ofAccounts }, now }: AccountUsageNeeds, asked: AskedSpan) {
  const begin = now();
  const accounts = pagesOf<UsageOfAccount>(
    (limit, last) => ofAccounts(asked, begin, limit, last?.position),
    CSV_ACCOUNTS_AT_ONCE,
  );
  return csvOf('usage.csv', ACCOUNT_USAGE_COLUMNS, daysOfAccounts(accounts), (day) =>
    ACCOUNT_USAGE_COLUMNS.map((column) => day[column]),
  );
}
