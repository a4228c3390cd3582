/** Renames an account for one of its owners. `change-account.ts` does so for operators. */
import type { Database } from '../../platform/postgres/database.ts';
import { findAccount, updateAccount } from './account-store.ts';
import type { PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { asMember, requireOwner } from './change-members.ts';

/**
 * Gives the account of the person a name. Throws Refusal UNAUTHORIZED if the session has ended meanwhile, and FORBIDDEN unless the person
 * is an owner.
 */
export async function renameAccount(database: Database, person: PersonActor, name: string): Promise<void> {
  await asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    const { name: former } = (await findAccount(transaction, person.accountId))!;
    if (name === former) return;
    await updateAccount(transaction, person.accountId, { name });
    const details = { from: former, to: name };
    await insertAuditEvent(transaction, person, { action: 'account.renamed', subject: name, details });
  });
}
