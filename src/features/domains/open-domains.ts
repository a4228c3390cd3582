/**
 * Opens the room for routes and commands that manage domains. Jobs enter through `recheck-domains.ts` and
 * `verify-pending.ts`.
 */
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
import type { Domain } from './domain.ts';
import {
  findDomainSummary,
  listDomainSummaries,
  listOwnOfHostname,
  listRegisteredDomains,
} from './domain-store.ts';
import { createListDomains } from './list-domains.ts';
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
