/** Switches the submission of a domain's changed URLs on or off. URLs that wait when submission is switched off are never submitted. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Domain } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { dropBatches, makeAllHostsDue, setIndexNow } from './switch-store.ts';

export interface SwitchOptions {
  readonly database: Database;
  /** True if the operator has configured an endpoint. */
  readonly isConfigured: boolean;
}

/** Switches submission. `onSwitched`: runs in the transaction of a change. Throws Refusal SERVICE_UNAVAILABLE or NOT_FOUND. */
export async function switchSubmission(
  { database, isConfigured }: SwitchOptions,
  { id, hostname }: Pick<Domain, 'id' | 'hostname'>,
  isEnabled: boolean,
  onSwitched?: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  if (isEnabled && !isConfigured) {
    throw new Refusal(
      'SERVICE_UNAVAILABLE',
      'This installation submits no URLs: its operator has not set INDEXNOW_ENDPOINT.',
    );
  }
  await inTransaction(database, async (transaction) => {
    if ((await lockDomain(transaction, id)) === undefined) {
      throw new Refusal('NOT_FOUND', `The domain ${hostname} has been deleted.`);
    }
    const hasChanged = await setIndexNow(transaction, id, isEnabled);
    if (!hasChanged) return;
    if (isEnabled) await makeAllHostsDue(transaction, id);
    else await dropBatches(transaction, id);
    await onSwitched?.(transaction);
  });
}
