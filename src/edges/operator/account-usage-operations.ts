/** What accounts used by day, for bills (docs/decisions/0078). */
import { queryText } from '../../core/web/query-text.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { answered } from '../api/shapes.ts';
import { SPAN_QUERY, USAGE, type UsageNeeds, usage } from '../api/usage-operations.ts';
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
      'The account sees the same at `GET /api/usage`. Each request, upload and answer counts once.',
    query: SPAN_QUERY,
    answer: answered(200, 'The usage.', usage, USAGE),
    errors: { NOT_FOUND: 'There is no such account.' },
    async run({ accounts, usage: { read }, now }: AccountUsageNeeds, { path, request: { query } }) {
      const { id } = existing(await accounts.all.find(path.id));
      return read(id, { from: queryText(query, 'from'), to: queryText(query, 'to') }, now());
    },
  }),
];
