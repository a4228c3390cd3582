/** The usage of accounts by day, for bills (docs/decisions/0078). */
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { answerUsage, USAGE_ANSWER, USAGE_QUERY, type UsageNeeds } from '../api/usage-operations.ts';
import { existing } from './account-operations.ts';
import { operatorOperation } from './operator-operation.ts';

export interface AccountUsageNeeds extends UsageNeeds {
  readonly accounts: Pick<Accounts, 'all'>;
}

export const accountUsageOperations = [
  operatorOperation({
    id: 'getAccountUsage',
    method: 'get',
    path: '/operator/accounts/{id}/usage',
    tag: 'Accounts',
    summary: 'Shows what an account used, by day',
    description:
      'The account sees the same at `GET /api/usage`, also as CSV. Each request, upload and answer counts once.',
    query: USAGE_QUERY,
    answer: USAGE_ANSWER,
    errors: { NOT_FOUND: 'There is no such account.' },
    async run(needs: AccountUsageNeeds, { path, request, response }) {
      const { id } = existing(await needs.accounts.all.find(path.id));
      return answerUsage(needs, id, request, response);
    },
  }),
];
