/**
 * Brings the tenants of a platform to the state that an operator wants: accounts, each with domains and keys. All tenants share one
 * transaction. A refused tenant is rolled back alone, by a savepoint. So thousands of tenants take few statements, commits and writes of
 * sites.
 */
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { NotYetVisible } from '../../platform/not-yet-visible.ts';
import { inSavepoint, isDeadlock, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Account, lockAccountsByRef } from '../accounts/account-store.ts';
import { type Operator, operatorOf } from '../accounts/actor.ts';
import { type AuditedChange, insertAuditEvents, type RecordAudit } from '../accounts/audit-store.ts';
import { type NewAccount, putAccountIn } from '../accounts/change-account.ts';
import { addKey, type WantedKey } from '../accounts/change-keys.ts';
import type { KeyScope } from '../accounts/key-scope.ts';
import { findValidKeys } from '../accounts/key-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { findDomainIds } from './change-any-domain.ts';
import { endChecks, findHolders } from './check-store.ts';
import { cnameTargetFor } from './cname-target.ts';
import { type CreateDomainOptions, heldByAnother } from './create-domain.ts';
import { type Domain, needsVerification } from './domain.ts';
import { findDomainsByHostname, insertDomainIn, markVerified, type OwnHostname } from './domain-store.ts';
import { parseHostname } from './hostname.ts';
import { recheckHolder } from './recheck-holder.ts';
import type { VerifyDomainOptions } from './verify-domain.ts';

export interface WantedTenant {
  /** The operator's own name of the account. */
  readonly ref: string;
  readonly account: Omit<NewAccount, 'ref'>;
  readonly domains: readonly WantedTenantDomain[];
  /** The wanted keys of the account. No two have the same name. */
  readonly keys: readonly WantedTenantKey[];
}

interface WantedTenantDomain {
  readonly hostname: string;
  readonly website: boolean | undefined;
  /** Whether the domain is served at once, and its DNS records are never checked. */
  readonly isVerified: boolean;
}

interface WantedTenantKey extends Pick<WantedKey, 'name' | 'expiresAt' | 'scope'> {
  /** The domains that the key is limited to; empty for no limit. */
  readonly hostnames: readonly string[];
}

export interface Tenant {
  readonly account: Account;
  readonly domains: readonly Domain[];
  /** `key` is null if the account had a valid key of this name before. */
  readonly keys: readonly { readonly id: string; readonly name: string; readonly key: string | null }[];
}

type PutTenantsOptions = CreateDomainOptions & Pick<VerifyDomainOptions, 'openChange' | 'onVerified'>;

/** No two of `given` may have the same ref. Returns a tenant or its refusal for each of them, in their order. */
export async function putTenants(
  ...given: Parameters<typeof putOnce>
): Promise<readonly (Tenant | Refusal)[]> {
  for (;;) {
    try {
      return await putOnce(...given);
    } catch (error) {
      // Another call has given the same hostnames to other accounts, in another order. Postgres lets one of the two go on, so the loop ends.
      if (!isDeadlock(error)) throw error;
    }
  }
}

async function putOnce(
  options: PutTenantsOptions,
  operator: Operator,
  given: readonly WantedTenant[],
  plans: Plans,
): Promise<readonly (Tenant | Refusal)[]> {
  const wanted = given.map((tenant) => ({ ...tenant, domains: tenant.domains.map(canonical) }));
  await using change = await options.openChange();
  const { transaction } = change;
  // The accounts are locked before any hostname is taken: a transaction that waits for a hostname may hold an account.
  const accounts = await lockAccountsByRef(
    transaction,
    wanted.map(({ ref }) => ref),
  );
  const found = new Map(accounts.map((account) => [account.ref, account]));
  const hostnames = wanted.flatMap(({ domains }) => domains.map(({ hostname }) => hostname));
  const holders = new Map(
    (await findHolders(transaction, hostnames)).map(({ hostname, accountId }) => [hostname, accountId]),
  );
  const outcomes = new Map<WantedTenant, Tenant | Refusal>();
  const verified: Domain[] = [];
  const served: Domain[] = [];
  const audited: AuditedChange[] = [];
  const held: OwnHostname[] = [];
  // All calls make accounts in the order of their refs. They lock existing accounts in the same order.
  for (const tenant of wanted.toSorted((a, b) => (a.ref < b.ref ? -1 : 1))) {
    const part = new TenantPart({ ...options, transaction, operator, plans, holders });
    try {
      const put = () => part.put(tenant, found.get(tenant.ref));
      outcomes.set(tenant, await inSavepoint(transaction, put));
      verified.push(...part.verified);
      served.push(...part.served);
      audited.push(...part.audited);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcomes.set(tenant, error);
      held.push(...part.held);
    }
  }
  const unchecked = new Set(
    served.length === 0
      ? []
      : await endChecks(
          transaction,
          served.map(({ id }) => id),
        ),
  );
  audited.push(...served.filter(({ id }) => unchecked.has(id)).map((domain) => byForce(operator, domain)));
  await insertAuditEvents(transaction, audited);
  if (verified.length > 0) await options.onVerified(transaction, ...verified);
  await change.commit(...verified).catch((error: unknown) => {
    // The transaction is committed. Return the new keys, because they are stored nowhere. A sweep writes the sites later.
    if (!(error instanceof NotYetVisible)) throw error;
  });
  // If a call fails, the holder is checked at its usual time.
  for (const own of held) await recheckHolder(options.database, own).catch(() => {});
  return wanted.map((tenant) => outcomes.get(tenant)!);
}

function byForce(operator: Operator, { id: domainId, accountId, hostname }: Domain): AuditedChange {
  return {
    actor: operatorOf(accountId, operator),
    entry: { action: 'domain.verified_by_force', subject: hostname, details: { domainId } },
  };
}

function canonical(domain: WantedTenantDomain): WantedTenantDomain {
  return { ...domain, hostname: canonicalHostname(domain.hostname) ?? domain.hostname };
}

interface PartOptions extends PutTenantsOptions {
  readonly transaction: Transaction;
  readonly operator: Operator;
  readonly plans: Plans;
  /** The account that holds a hostname, by hostname. */
  readonly holders: ReadonlyMap<string, string>;
}

/** One tenant of the transaction, and the work that it leaves for the end of the transaction and after. */
class TenantPart {
  readonly verified: Domain[] = [];
  /** Domains that were verified before, and whose DNS records are not to be checked any more. */
  readonly served: Domain[] = [];
  readonly audited: AuditedChange[] = [];
  /** Hostnames that another account holds. */
  readonly held: OwnHostname[] = [];
  #isNew = false;
  readonly #options: PartOptions;

  constructor(options: PartOptions) {
    this.#options = options;
  }

  /** Brings one tenant to the wanted state. `found`: the account with the ref. Throws Refusal. */
  async put(wanted: WantedTenant, found: Account | undefined): Promise<Tenant> {
    const { transaction, newId, operator } = this.#options;
    const put = { ref: wanted.ref, wanted: wanted.account, found };
    const { account, isNew } = await putAccountIn(transaction, newId, operator, put, this.#record);
    this.#isNew = isNew;
    const domains: Domain[] = [];
    for (const domain of wanted.domains) domains.push(await this.#putDomain(account, domain));
    return { account, domains, keys: await this.#putKeys(account.id, wanted.keys) };
  }

  async #putDomain(account: Account, wanted: WantedTenantDomain): Promise<Domain> {
    const { transaction, hostnameRules } = this.#options;
    const hostname = parseHostname(wanted.hostname, hostnameRules);
    const own: OwnHostname = { accountId: account.id, hostname };
    const [found] = this.#isNew ? [] : await findDomainsByHostname(transaction, [own]);
    if (found !== undefined && !(wanted.isVerified && needsVerification(found))) {
      if (wanted.isVerified) this.served.push(found);
      return found;
    }
    this.#refuseHeld(own);
    if (found === undefined) return this.#addDomain(account, wanted);
    // Another request may have verified or deleted the domain in between.
    const verified = await markVerified(transaction, found.id, undefined);
    if (verified === undefined) throw new Refusal('CONFLICT', 'The domain changed meanwhile. Send it again.');
    return this.#verified(verified);
  }

  #refuseHeld(own: OwnHostname): void {
    if ((this.#options.holders.get(own.hostname) ?? own.accountId) === own.accountId) return;
    this.held.push(own);
    throw heldByAnother(own.hostname);
  }

  async #addDomain(account: Account, { hostname, website, isVerified }: WantedTenantDomain): Promise<Domain> {
    const { transaction, newId, operator, plans, cnameTargets } = this.#options;
    const accountId = account.id;
    const domain = {
      ...{ id: newId('domain'), accountId, hostname, website: website ?? null },
      cnameTarget: cnameTargetFor(cnameTargets, accountId, hostname),
    };
    const added = await insertDomainIn(transaction, domain, plans[account.plan].domains, isVerified);
    this.#record(operatorOf(accountId, operator), {
      ...{ action: 'domain.added', subject: hostname, details: { domainId: added.id } },
    });
    return isVerified ? this.#verified(added) : added;
  }

  async #verified(domain: Domain): Promise<Domain> {
    const { id: domainId, accountId, hostname } = domain;
    this.verified.push(domain);
    // A new account has no webhooks.
    if (!this.#isNew)
      await emitEvent(this.#options.transaction, accountId, 'domain.verified', {
        domainId,
        domain: hostname,
      });
    this.audited.push(byForce(this.#options.operator, domain));
    return domain;
  }

  async #putKeys(accountId: string, wanted: readonly WantedTenantKey[]) {
    const { transaction, newId, operator } = this.#options;
    const names = wanted.map(({ name }) => name);
    const known = this.#isNew || names.length === 0 ? [] : await findValidKeys(transaction, accountId, names);
    const keys: { id: string; name: string; key: string | null }[] = [];
    for (const { name, expiresAt, ...limits } of wanted) {
      const found = known.find((key) => key.name === name);
      if (found !== undefined) keys.push({ ...found, key: null });
      else {
        const key = { name, expiresAt, scope: await this.#scopeOf(accountId, limits) };
        const actor = operatorOf(accountId, operator);
        keys.push({ name, ...(await addKey(transaction, newId, actor, key, this.#record)) });
      }
    }
    return keys;
  }

  async #scopeOf(accountId: string, { scope, hostnames }: Pick<WantedTenantKey, 'scope' | 'hostnames'>) {
    if (hostnames.length === 0) return scope ?? null;
    const domainIds = await findDomainIds(this.#options.transaction, accountId, hostnames);
    const limited: KeyScope = { actions: null, sitemapNames: null, ranges: null, ...scope, domainIds };
    return limited;
  }

  readonly #record: RecordAudit = (actor, entry) => this.audited.push({ actor, entry });
}
