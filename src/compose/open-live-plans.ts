/** Opens the plans of a process, whose limits operators can change. The end of the scope stops the reading of changes. */
import { type LivePlans, type OpenPlansOptions, openPlans } from '../features/accounts/open-plans.ts';
import type { ProcessOptions } from './open-process.ts';

export async function openLivePlans({
  scope,
  ...options
}: OpenPlansOptions & Pick<ProcessOptions, 'scope'>): Promise<LivePlans> {
  const live = await openPlans(options);
  scope.defer(() => live.stop());
  return live;
}
