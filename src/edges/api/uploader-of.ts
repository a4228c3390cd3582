/** Returns the caller with the limits of the account's plan. */
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Plans } from '../../features/accounts/plans.ts';

export function uploaderOf({ plans }: { readonly plans: Plans }, caller: Caller) {
  return { ...caller, allowance: plans[caller.plan] };
}
