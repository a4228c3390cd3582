/** Opens the plans of a process, whose limits operators can change. The end of the scope stops the reading of changes. */
import { type LivePlans, openPlans } from '../features/accounts/open-plans.ts';
import type { Plans } from '../features/accounts/plans.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ProcessOptions } from './open-process.ts';

export interface OpenLivePlansOptions extends Pick<ProcessOptions, 'log' | 'scope'> {
  readonly database: Database;
  /** The plans of the setting PLANS. */
  readonly defaults: Plans;
}

export async function openLivePlans({ scope, ...options }: OpenLivePlansOptions): Promise<LivePlans> {
  const live = await openPlans(options);
  scope.defer(() => live.stop());
  return live;
}
