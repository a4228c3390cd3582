/**
 * One-time links that begin a session without an OpenID provider. The token stands behind `#`. Clients do not send this part of a URL, so
 * no log, no referrer and no request of a link preview has the token.
 */
import type { NewId } from '../../platform/ids.ts';
import { inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { lockAccount } from './account-store.ts';
import { type Operator, operatorOf } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import type { AccountsGround } from './change-account.ts';
import { insertSignInLink } from './link-store.ts';
import { newToken } from './secret-token.ts';
import { addMember, findLocalOwner, insertUser } from './user-store.ts';

const LOCAL_NAME = 'Operator';

/**
 * Creates a link that signs in an owner without identities. Creates such an owner if the account has none, because a link never signs in a
 * person with an identity. `origin`: the origin of the dashboard. `operator`: the operator who asks; undefined at the start of the
 * all-in-one program. Returns undefined when there is no such account.
 */
export async function createSignInLink(
  { database, newId }: AccountsGround,
  accountId: string,
  origin: string,
  operator?: Operator,
): Promise<string | undefined> {
  const token = newToken();
  const isMade = await inTransaction(database, async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) return false;
    const owner = await findLocalOwner(transaction, accountId);
    const userId = owner ?? (await createLocalOwner(transaction, newId, accountId));
    await insertSignInLink(transaction, token, { accountId, userId });
    if (operator !== undefined) {
      const made = { action: 'sign_in_link.made', subject: '' } as const;
      await insertAuditEvent(transaction, operatorOf(accountId, operator), made);
    }
    return true;
  });
  return isMade ? `${origin}/dashboard/sign-in#${token}` : undefined;
}

async function createLocalOwner(transaction: Transaction, newId: NewId, accountId: string): Promise<string> {
  const id = newId('user');
  await insertUser(transaction, { id, name: LOCAL_NAME, email: null });
  await addMember(transaction, { accountId, userId: id, role: 'owner' });
  return id;
}
