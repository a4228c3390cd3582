/** Opens an upload session for a sitemap. */
import { inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { type GivenScope, requireTarget } from '../../accounts/key-scope.ts';
import type { UploadOptions } from '../accept-upload.ts';
import { MAX_OPEN_SESSIONS, type SessionTerms, type UploadSession } from './session.ts';
import { countOpenSessions, insertSession } from './session-store.ts';

export type OpenSessionOptions = Pick<UploadOptions, 'database' | 'newId' | 'getDomain'>;

export interface AskedSession {
  readonly hostname: string;
  readonly sitemapName: string;
  readonly terms: SessionTerms;
}

/** Opens a session. `record` runs in the transaction. Throws Refusal, CONFLICT if the account has too many open sessions. */
export async function openSession(
  { database, newId, getDomain }: OpenSessionOptions,
  caller: Actor & { readonly scope?: GivenScope },
  { hostname, sitemapName, terms }: AskedSession,
  record: (transaction: Transaction, session: UploadSession) => Promise<void> = async () => {},
): Promise<UploadSession> {
  const { accountId } = caller;
  const domain = await getDomain(accountId, hostname);
  requireTarget(caller.scope, { domainId: domain.id, sitemapName });
  const session = {
    ...{ id: newId('session'), accountId, domainId: domain.id, hostname: domain.hostname },
    ...{ sitemapName, uploadId: newId('upload'), terms },
  };
  return inTransaction(database, async (transaction) => {
    // Lock the account, so no other session of the account is opened meanwhile.
    await holdCaller(transaction, caller);
    if ((await countOpenSessions(transaction, accountId)) >= MAX_OPEN_SESSIONS) throw tooManySessions();
    const times = await insertSession(transaction, { ...session, isOfLoad: false });
    const opened: UploadSession = {
      ...session,
      ...times,
      ...{ status: 'open', published: null, parts: 0, urlCount: 0, gzipBytes: 0 },
    };
    await record(transaction, opened);
    return opened;
  });
}

function tooManySessions(): Refusal {
  const message = `This account already has ${MAX_OPEN_SESSIONS} open upload sessions, which is the limit. Commit or delete one of them.`;
  return new Refusal('CONFLICT', message, { details: { limit: MAX_OPEN_SESSIONS } });
}
