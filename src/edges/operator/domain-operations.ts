/** Operations on the domains of all accounts: register, list, show, check, verify and delete a domain, and write its site again. */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Operator } from '../../features/accounts/actor.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseSwitch } from '../../features/accounts/parse-account.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import { wantedRecords } from '../../features/domains/dns-facts.ts';
import { type Domain, type DomainSummary, needsVerification } from '../../features/domains/domain.ts';
import { LISTED_STATUSES } from '../../features/domains/domain-store.ts';
import { hostnameSchema } from '../../features/domains/hostname.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { Sites } from '../../features/sites/open-sites.ts';
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { domainState } from '../api/describe-domain.ts';
import { REGISTERED, STATE } from '../api/domain-examples.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  existing,
  id,
  jsonBody,
  numbered,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from '../api/shapes.ts';
import { ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface DomainNeeds {
  readonly accounts: Pick<Accounts, 'all'>;
  readonly domains: Pick<Domains, 'all' | 'verify'>;
  readonly plans: Plans;
  readonly rebuildSite: Sites['rebuild'];
}

const domain = z
  .object({
    ...domainState,
    accountId: id('account'),
    cnameTarget: described(text, 'Where the CNAME record must point.'),
    failure: described(text.nullable(), 'For people: why it failed.'),
    createdAt: time,
    verifiedAt: time.nullable(),
    urlCount: described(count, 'URLs of all its sitemaps.'),
    fileCount: described(count, 'Files of all its sitemaps, without indexes.'),
    storedBytes: described(count, 'Compressed bytes of its live files.'),
    lastUpdated: described(time.nullable(), 'Of its last upload.'),
  })
  .meta({ id: 'OperatedDomain' });
const DOMAIN = {
  ...{ ...REGISTERED, accountId: ACCOUNT.id, failure: null, verifiedAt: null, lastUpdated: null },
  ...{ urlCount: 0, fileCount: 0, storedBytes: 0 },
};
const VERIFIED = { ...DOMAIN, ...STATE, verifiedAt: '2026-01-15T10:03:00Z' };

const record = z.object({ type: text, name: text, value: text }).meta({ id: 'DnsRecord' });
const RECORD = { type: 'CNAME', name: STATE.hostname, value: REGISTERED.cnameTarget };

const NOT_FOUND = 'There is no such domain.';

export const domainOperations = tagged('Domains', [
  operatorOperation('put', '/operator/accounts/{id}/domains/{hostname}', {
    id: 'putDomain',
    summary: 'Registers a hostname for an account, unless it has it',
    description: 'Send it as often as you like. The limit of the plan holds.',
    body: jsonBody(
      z.strictObject({
        website: described(
          z.boolean().nullish(),
          'False says that no website uses the name: then nothing warns.',
        ),
      }),
      {},
    ),
    answer: answered(200, 'The domain.', domain, DOMAIN),
    errors: {
      NOT_FOUND: 'There is no such account.',
      CONFLICT: 'Another account has verified the hostname.',
      VALIDATION_ERROR: 'With `details.limit`, the plan has no room for another domain.',
    },
    async run(needs: DomainNeeds, { caller, path, members }) {
      const given = await members();
      const { plan } = existing(await needs.accounts.all.find(path.id), 'account');
      const made = await needs.domains.all.put(caller, {
        ...{ accountId: path.id, hostname: path.hostname, limit: needs.plans[plan].domains },
        website: parseSwitch('website', given.get('website')),
      });
      return getSummary(needs, made.id);
    },
  }),
  operatorOperation('get', '/operator/domains', {
    id: 'listDomains',
    summary: 'Lists domains of all accounts, the newest first',
    query: {
      ...PAGE_QUERY,
      account: described(text, 'Only those of the account with this id.'),
      status: described(z.enum(LISTED_STATUSES), 'Only those in it. `served` is `verified` or `active`.'),
      hostname: described(
        hostnameSchema,
        'Only those with this hostname: several accounts may have registered it.',
      ),
    },
    answer: answeredPage('A page of domains.', domain, DOMAIN),
    async run({ domains }: DomainNeeds, { request: { query }, page }) {
      const [account, given, hostname] = ['account', 'status', 'hostname'].map((name) =>
        queryText(query, name),
      );
      const status = LISTED_STATUSES.find((one) => one === given);
      if (given !== undefined && status === undefined)
        throw invalidField('status', given, `must be one of ${LISTED_STATUSES.join(', ')}`);
      return page({
        list: `domains ${account ?? ''} ${status ?? ''} ${hostname ?? ''}`,
        async read(limit, after) {
          if (hostname === undefined) return domains.all.list(account, limit, numbered(after), null, status);
          const all = await domains.all.listOfHostname(canonicalHostname(hostname) ?? hostname);
          return all
            .filter((one) => account === undefined || one.accountId === account)
            .filter((one) => status === undefined || statusOf(one) === status)
            .toReversed()
            .filter(({ position }) => after === undefined || position < Number(after))
            .slice(0, limit);
        },
        positionOf: ({ position }) => String(position),
        show: describeDomain,
      });
    },
  }),
  operatorOperation('get', '/operator/domains/{id}', {
    id: 'getDomain',
    summary: 'Shows a domain',
    answer: answered(200, 'The domain.', domain, DOMAIN),
    errors: { NOT_FOUND },
    run: async (needs: DomainNeeds, { path }) => getSummary(needs, path.id),
  }),
  operatorOperation('delete', '/operator/domains/{id}', {
    id: 'deleteDomain',
    summary: 'Deletes a domain with all its sitemaps',
    description: 'Hosting stops serving them within two seconds.',
    answer: answered(
      200,
      'The domain is deleted.',
      z.object({ id: domainState.id, hostname: domainState.hostname, deleted: done }),
      { id: STATE.id, hostname: STATE.hostname, deleted: true },
    ),
    errors: { NOT_FOUND },
    async run({ domains }: DomainNeeds, { caller, path }) {
      const found = await domains.all.get(path.id);
      await domains.all.delete(caller, found);
      return { id: found.id, hostname: found.hostname, deleted: true as const };
    },
  }),
  operatorOperation('post', '/operator/domains/{id}/check', {
    id: 'checkDomain',
    summary: 'Asks DNS for the records of a domain and compares them',
    description: 'It changes nothing, and takes up to 5 seconds.',
    answer: answered(
      200,
      'What DNS says.',
      z
        .object({
          wanted: record,
          alternative: described(record, 'With addresses that lead here.'),
          found: z.array(record).max(32),
          verdict: described(z.enum(['right', 'wrong', 'unknown']), '`unknown`: lookups failed.'),
          problem: described(text.nullable(), 'For people: what is wrong, and the cure.'),
        })
        .meta({ id: 'DnsCheck' }),
      {
        ...{ wanted: RECORD, alternative: { ...RECORD, type: 'TXT' }, found: [RECORD] },
        ...{ verdict: 'right', problem: null },
      },
    ),
    errors: { NOT_FOUND },
    async run({ domains }: DomainNeeds, { path }) {
      const found = await domains.all.get(path.id);
      const { found: records, verdict, problem } = await domains.all.diagnose(found);
      const { wanted, alternative } = wantedRecords(found);
      return { wanted, alternative, found: records, verdict, problem };
    },
  }),
  operatorOperation('post', '/operator/domains/{id}/verify', {
    id: 'verifyDomain',
    summary: 'Looks for the DNS records of a domain, or verifies it without',
    description:
      'The answer is 200 even if the check fails: read `status`. With `force` there is no check, not now and not later.',
    body: jsonBody(
      z.strictObject({ force: described(z.boolean().nullish(), 'Verify it without a look at DNS.') }),
      { force: true },
    ),
    answer: answered(
      200,
      'The state after it.',
      z.object({ ...domain.shape, message: described(text, 'For people.') }),
      { ...VERIFIED, message: 'The domain is verified without a look at DNS.' },
    ),
    errors: { NOT_FOUND, CONFLICT: 'Another account has verified the hostname.' },
    async run(needs: DomainNeeds, { caller, path, members }) {
      const isForced = parseSwitch('force', (await members()).get('force')) ?? false;
      const found = await needs.domains.all.get(path.id);
      const message = await verify(needs, caller, found, isForced);
      return { ...(await getSummary(needs, found.id)), message };
    },
  }),
  operatorOperation('post', '/operator/domains/{id}/rebuild', {
    id: 'rebuildSite',
    summary: 'Writes the site of a domain again from the database',
    description:
      'Even if the object storage seems to have it. The site of a domain that must not be served is removed.',
    answer: answered(
      200,
      'It is done.',
      z.object({ hostname: text, outcome: z.enum(['written', 'removed']) }),
      { hostname: STATE.hostname, outcome: 'written' },
    ),
    errors: { NOT_FOUND },
    async run({ domains, rebuildSite }: DomainNeeds, { path }) {
      const { hostname } = await domains.all.get(path.id);
      const outcome = await rebuildSite(hostname);
      if (outcome === 'unknown') throw new Refusal('NOT_FOUND', NOT_FOUND);
      return { hostname, outcome };
    },
  }),
]);

/** Verifies the domain. Returns the outcome as a sentence for people. */
async function verify({ domains }: DomainNeeds, caller: Operator, found: Domain, isForced: boolean) {
  if (!isForced) return (await domains.verify(found)).message;
  const { hasChanged } = await domains.all.verifyByForce(caller, found);
  if (needsVerification(found)) return 'The domain is verified without a look at DNS.';
  return hasChanged
    ? 'The domain is verified already. Its DNS records are not checked any more.'
    : 'The domain is verified already.';
}

function statusOf({ status }: DomainSummary) {
  return status === 'verified' || status === 'active' ? 'served' : status;
}

async function getSummary({ domains }: Pick<DomainNeeds, 'domains'>, domainId: string) {
  return describeDomain(existing(await domains.all.find(domainId), 'domain'));
}

function describeDomain(given: DomainSummary): Shown<typeof domain> {
  return shownAs(domain, { ...given, fileCount: given.sitemapCount });
}
