/**
 * Opens the room for routes and commands that manage domains. Jobs enter through `recheck-domains.ts` and
 * `verify-pending.ts`.
 */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { withinDeadline } from '../../platform/concurrency/deadline.ts';
import { type Database, statementTimeoutMs } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import {
  deleteAnyDomain,
  findDomainIds,
  getAnyDomain,
  putDomain,
  verifyByForce,
} from './change-any-domain.ts';
import { changeSettings } from './change-settings.ts';
import { type CheckHostnamesOptions, checkHostnames } from './check-hostnames.ts';
import { findLastCheck } from './check-store.ts';
import { type CreateDomainOptions, createDomain } from './create-domain.ts';
import { deleteAccount } from './delete-account.ts';
import { type DeleteDomainOptions, deleteDomain } from './delete-domain.ts';
import type { Domain, DomainSummary } from './domain.ts';
import {
  findDomainSummary,
  listDomainSummaries,
  listOwnOfHostname,
  listRegisteredDomains,
} from './domain-store.ts';
import { getOwnDomain, getOwnDomainSummary } from './own-domain.ts';
import { putTenants } from './put-tenants.ts';
import { type VerifyDomainOptions, verifyDomain } from './verify-domain.ts';

export type OpenDomainsOptions = CreateDomainOptions &
  VerifyDomainOptions &
  DeleteDomainOptions &
  CheckHostnamesOptions;

export type Domains = ReturnType<typeof openDomains>;

export function openDomains(options: OpenDomainsOptions) {
  const { database } = options;
  return {
    ...verbsOn(options, {
      ...{ create: createDomain, verify: verifyDomain, delete: deleteDomain, checkHostnames, deleteAccount },
    }),
    ...verbsOn(database, {
      getOwn: getOwnDomain,
      getOwnSummary: getOwnDomainSummary,
      listOwnOfHostname,
      findLastCheck,
      changeSettings,
    }),
    list: createListDomains(database),
    /** For operators. */
    all: {
      ...verbsOn(options, { put: putDomain, putTenants, verifyByForce, delete: deleteAnyDomain }),
      ...verbsOn(database, {
        ...{
          get: getAnyDomain,
          find: findDomainSummary,
          list: listDomainSummaries,
          listOfHostname: listRegisteredDomains,
        },
        findIds: findDomainIds,
      }),
      diagnose: (domain: Domain) => options.diagnose(domain.hostname, domain.cnameTarget, domain.website),
    },
  };
}

/**
 * Creates a `listDomainSummaries` whose concurrent callers may share the rows. Identical reads that come during a read share the next read,
 * so a page is never older than its request.
 */
export function createListDomains(database: Database) {
  const reads = new CoalescedCalls<readonly DomainSummary[]>();
  const timeoutMs = statementTimeoutMs(database);
  return (
    accountId: string,
    limit: number,
    before: number | undefined,
    ids: readonly string[] | null = null,
  ) => {
    const page = reads.run(`${accountId} ${limit} ${before} ${ids ?? ''}`, (begin) => {
      begin();
      return listDomainSummaries(database, accountId, limit, before, ids);
    });
    // A caller waits at most as long as one statement may take.
    return withinDeadline(page, timeoutMs);
  };
}
