/** Checks the key file of a page host at once when the account asks. The host gets a key if it has none. */
import type { Turns } from '../../platform/concurrency/turns.ts';
import type { AskOutside } from '../../platform/http/outbound.ts';
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Domain, OpenChange } from '../domains/domain.ts';
import { findKeyProblem } from './check-key.ts';
import { expectAtHttp, type ListedHost, listHosts, recordVerification } from './host-store.ts';
import { MAX_HOSTS } from './limits.ts';
import { addHosts } from './outbox-store.ts';
import { parsePageHost } from './page-host.ts';
import { checkDelayMs } from './retry-times.ts';
import { putKeysInSite } from './work-on-host.ts';

export interface VerifyPageHostOptions {
  readonly database: Database;
  readonly ask: AskOutside;
  /** The turns of accounts for checks: a check of a host that hangs takes 10 s. */
  readonly checkTurns: Turns;
  readonly openChange: OpenChange;
}

/** Checks a page host. `given`: a host or an origin. Throws Refusal VALIDATION_ERROR or CONFLICT. */
export async function verifyPageHost(
  options: VerifyPageHostOptions,
  { id: domainId, accountId, hostname }: Domain,
  given: unknown,
): Promise<ListedHost> {
  const { database, ask, checkTurns, openChange } = options;
  const asked = parsePageHost(given);
  const [known] = await listHosts(database, domainId, asked.host);
  const scheme = asked.scheme ?? known?.scheme ?? 'https';
  const hosts = await inTransaction(database, async (transaction) => {
    const added = await addHosts(transaction, domainId, [{ host: asked.host, scheme }]);
    if (asked.scheme === 'http') await expectAtHttp(transaction, domainId, asked.host);
    return added;
  });
  if (hosts === undefined) {
    throw new Refusal('CONFLICT', 'IndexNow is not enabled for this domain. PATCH the domain first.');
  }
  const find = async () => (await listHosts(database, domainId, asked.host))[0] ?? noRoom();
  const host = await find();
  if (!host.isInSite) await putKeysInSite(openChange, { domainId, hostname });
  const problem = await checkTurns.run(accountId, () => findKeyProblem(ask, host));
  await inTransaction(database, (transaction) =>
    recordVerification(transaction, { domainId, host: host.host }, problem, checkDelayMs(1, Math.random())),
  );
  return find();
}

function noRoom(): never {
  throw new Refusal('CONFLICT', `A domain submits URLs of at most ${MAX_HOSTS} hosts.`);
}
