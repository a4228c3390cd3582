/** Takes a request for a load. Some process of the API begins the load within seconds. */
import { inTransaction, type Queryable, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { type GivenScope, requireTarget } from '../../accounts/key-scope.ts';
import { requireBuckets } from '../../connections/open-connections.ts';
import type { AskedSession, OpenSessionOptions } from '../sessions/open-session.ts';
import type { SessionTerms } from '../sessions/session.ts';
import { insertSession } from '../sessions/session-store.ts';
import { bucketAddress } from './bucket-address.ts';
import { type AskedLoad, type Load, MAX_LOADS } from './load.ts';
import { countRunningLoads, insertLoad } from './load-store.ts';

/**
 * Asks for a load. `record` runs in the transaction. Throws Refusal: VALIDATION_ERROR for a connection that cannot read a source,
 * RATE_LIMIT_EXCEEDED if the account has too many loads.
 */
export async function askLoad(
  { database, newId, getDomain }: OpenSessionOptions,
  caller: Actor & { readonly scope?: GivenScope },
  { hostname, sitemapName, terms }: AskedSession,
  asked: AskedLoad,
  userAgent: string | null,
  record: (transaction: Transaction, load: Load) => Promise<void> = async () => {},
): Promise<Load> {
  const { accountId, keyId, session } = caller;
  const domain = await getDomain(accountId, hostname);
  requireTarget(caller.scope, { domainId: domain.id, sitemapName });
  await requireConnection(database, accountId, asked);
  const load: Load = {
    ...{ id: newId('upload'), sessionId: newId('session'), accountId },
    ...{ domainId: domain.id, hostname: domain.hostname, sitemapName, asked },
    ...{ keyId, userId: session?.userId ?? null, userSessionId: session?.id ?? null },
    ...{ userAgent, scheduleId: null },
  };
  return inTransaction(database, async (transaction) => {
    // Lock the account, so no other load of the account is queued meanwhile.
    await holdCaller(transaction, caller);
    if (!(await queueLoad(transaction, load, terms))) throw tooManyLoads();
    await record(transaction, load);
    return load;
  });
}

/** Throws Refusal VALIDATION_ERROR if the connection cannot read a source. */
export async function requireConnection(
  queryable: Queryable,
  accountId: string,
  { connection, sources }: Pick<AskedLoad, 'connection' | 'sources'>,
): Promise<void> {
  if (connection === null) return;
  const buckets = sources.flatMap((source) => bucketAddress(source)?.bucket ?? []);
  await requireBuckets(queryable, accountId, connection, buckets);
}

/** Returns false if the account has too many loads under way. The caller has locked the account. */
export async function queueLoad(transaction: Transaction, load: Load, terms: SessionTerms): Promise<boolean> {
  if ((await countRunningLoads(transaction, load.accountId)) >= MAX_LOADS) return false;
  const { id: uploadId, sessionId: id } = load;
  await insertSession(transaction, { ...load, id, uploadId, terms, isOfLoad: true });
  await insertLoad(transaction, load);
  return true;
}

/** A client tries again after this time, because loads take minutes. */
const RETRY_AFTER_SECONDS = 60;

function tooManyLoads(): Refusal {
  const message = `This account already has ${MAX_LOADS} loads under way, which is the limit. Try again when one of them has ended.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
