/** Accounts and domains to begin a test with. */
import { insertAccount } from '../../src/features/accounts/account-store.ts';
import { newApiKey } from '../../src/features/accounts/api-key.ts';
import { insertKey } from '../../src/features/accounts/key-store.ts';
import type { PlanName } from '../../src/features/accounts/plans.ts';
import { requestCertificates } from '../../src/features/certificates/certificate-store.ts';
import { type CnameTargets, cnameTargetFor } from '../../src/features/domains/cname-target.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { insertDomain } from '../../src/features/domains/domain-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { type Database, inTransaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';

export const CNAME_TARGETS: CnameTargets = { base: 'cname.example.net', secret: new Secret('for tests') };

export async function addAccount(database: Database, plan: PlanName = 'business'): Promise<string> {
  const id = newId('account');
  await insertAccount(database, { id, name: 'Test', plan });
  return id;
}

/** Returns the id of a key that never expires. */
export async function addKey(database: Database, accountId: string): Promise<string> {
  const id = newId('key');
  await insertKey(database, {
    id,
    accountId,
    name: 'Test',
    key: newApiKey(),
    expiresAt: null,
    creatorId: null,
  });
  return id;
}

let hostnames = 0;

/** An unverified domain, by default with a hostname of its own. */
export async function addDomain(
  database: Database,
  accountId: string,
  hostname = `maps${++hostnames}.example.com`,
): Promise<Domain> {
  const cnameTarget = cnameTargetFor(CNAME_TARGETS, accountId, hostname);
  // A whole sweep adds more domains than any plan allows.
  const limit = Number.POSITIVE_INFINITY;
  return insertDomain(database, { id: newId('domain'), accountId, hostname, cnameTarget }, limit);
}

/** A domain that hosting may serve. */
export async function addVerifiedDomain(database: Database, accountId: string): Promise<Domain> {
  const domain = await addDomain(database, accountId);
  await database.query("UPDATE domains SET status = 'verified', ssl_status = 'provisioning' WHERE id = $1", [
    domain.id,
  ]);
  return { ...domain, status: 'verified', sslStatus: 'provisioning' };
}

/** A verified domain that waits for a certificate, as after a real verification. */
export async function addServedDomain(database: Database, accountId: string): Promise<Domain> {
  const domain = await addVerifiedDomain(database, accountId);
  await inTransaction(database, (transaction) => requestCertificates(transaction, [domain]));
  return domain;
}
