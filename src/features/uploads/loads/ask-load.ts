/** Takes a request for a load. A process of the API begins with it soon. */
import type { NewId } from '../../../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { type GivenScope, requireTarget } from '../../accounts/key-scope.ts';
import { requireBuckets } from '../../connections/open-connections.ts';
import type { UploadOptions } from '../accept-upload.ts';
import type { AskedSession } from '../sessions/open-session.ts';
import { insertSession } from '../sessions/session-store.ts';
import { bucketAddress } from './bucket-address.ts';
import { type AskedLoad, type Load, MAX_LOADS } from './load.ts';
import { countRunningLoads, insertLoad } from './load-store.ts';

export interface AskLoadOptions extends Pick<UploadOptions, 'getDomain'> {
  readonly database: Database;
  readonly newId: NewId;
}

/** `record` runs in the transaction. Throws Refusal: VALIDATION_ERROR for a connection that cannot read a source, RATE_LIMIT_EXCEEDED if the account has too many. */
export async function askLoad(
  { database, newId, getDomain }: AskLoadOptions,
  caller: Actor & { readonly scope?: GivenScope },
  { hostname, sitemapName, terms }: AskedSession,
  asked: AskedLoad,
  userAgent: string | null,
  record: (transaction: Transaction, load: Load) => Promise<void> = async () => {},
): Promise<Load> {
  const { accountId, keyId, session } = caller;
  const domain = await getDomain(accountId, hostname);
  if (asked.connection !== null) {
    const buckets = asked.sources.flatMap((source) => bucketAddress(source)?.bucket ?? []);
    await requireBuckets(database, accountId, asked.connection, buckets);
  }
  requireTarget(caller.scope, { domainId: domain.id, sitemapName });
  const load: Load = {
    ...{ id: newId('upload'), sessionId: newId('session'), accountId },
    ...{ domainId: domain.id, hostname: domain.hostname, sitemapName, asked },
    ...{ keyId, userId: session?.userId ?? null, userSessionId: session?.id ?? null, userAgent },
  };
  return inTransaction(database, async (transaction) => {
    // It locks the account, so no other load is asked for meanwhile.
    await holdCaller(transaction, caller);
    if ((await countRunningLoads(transaction, accountId)) >= MAX_LOADS) throw tooManyLoads();
    await insertSession(transaction, { ...load, id: load.sessionId, uploadId: load.id, terms });
    await insertLoad(transaction, load);
    await record(transaction, load);
    return load;
  });
}

/** Loads take minutes. */
const RETRY_AFTER_SECONDS = 60;

function tooManyLoads(): Refusal {
  const message = `This account already has ${MAX_LOADS} loads under way, which is the limit. Try again when one of them has ended.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
