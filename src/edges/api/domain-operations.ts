/** Operations that register, list, show, change, delete and verify domains (spec 4.1 to 4.4, spec D29). */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import { type AuditEntry, insertAuditEvent } from '../../features/accounts/audit-store.ts';
import { holdCaller } from '../../features/accounts/hold-caller.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { parseSwitch } from '../../features/accounts/parse-account.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { findCertificateSummary } from '../../features/certificates/certificate-store.ts';
import { type Domain, PLACEMENTS } from '../../features/domains/domain.ts';
import { hostnameSchema } from '../../features/domains/hostname.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { Recent } from '../../features/recent/open-recent.ts';
import type { Submission } from '../../features/submission/open-submission.ts';
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { Verb } from '../../platform/verb.ts';
import {
  describeCreated,
  describeListed,
  describeWholeDomain,
  domainState,
  guard,
  listedDomain,
  recentSettings,
  registeredDomain,
  wholeDomain,
} from './describe-domain.ts';
import { parseGuard, parseIndexNow, parsePlacement, parseRecent } from './domain-changes.ts';
import { LISTED, REGISTERED, STATE, WHOLE } from './domain-examples.ts';
import { operation, tagged } from './operation.ts';
import {
  answered,
  answeredPage,
  described,
  done,
  jsonBody,
  numbered,
  PAGE_QUERY,
  text,
  time,
} from './shapes.ts';

export interface DomainNeeds {
  readonly domains: Domains;
  readonly submission: Pick<Submission, 'switch'>;
  readonly recent: Recent;
  readonly findCertificate: Verb<typeof findCertificateSummary>;
  readonly accounts: Pick<Accounts, 'checkCaller'>;
  readonly plans: Plans;
}

export const domainOperations = tagged('Domains', [
  operation('post', '/api/domains', {
    id: 'createDomain',
    access: { actions: ['domains'], to: 'account' },
    summary: 'Registers a hostname',
    description: 'Make a CNAME record from the hostname to `cnameTarget` then, and verify the domain.',
    body: jsonBody(
      z.strictObject({
        hostname: described(hostnameSchema, 'A full name that you control, as in `sitemaps.example.com`.'),
        website: described(
          z.boolean(),
          'False says that no website uses the name: then nothing warns.',
        ).nullish(),
      }),
      { hostname: 'sitemaps.example.com' },
    ),
    answer: answered(201, 'The domain is registered.', registeredDomain, REGISTERED),
    errors: {
      CONFLICT: 'You have registered the hostname, or another account has verified it.',
      VALIDATION_ERROR: 'With `details.limit`, the plan has no room for another domain.',
    },
    async run({ domains, plans }: DomainNeeds, { caller, members, showOnce }) {
      const given = await members();
      const website = parseSwitch('website', given.get('website'));
      const { record, shown } = showOnce(describeCreated);
      const limit = plans[caller.plan].domains;
      const hostname = given.get('hostname');
      const created = await domains.create(
        caller.accountId,
        limit,
        hostname,
        async (transaction, made) => {
          // The key or the session of the caller may have ended while the body arrived.
          await holdCaller(transaction, caller);
          await insertAuditEvent(transaction, caller, entryOf('domain.added', made.domain));
          await record(transaction, made);
        },
        website,
        caller.session?.userId ?? caller.keyId,
      );
      return shown(created);
    },
  }),
  operation('get', '/api/domains', {
    id: 'listDomains',
    access: { actions: ['read'], to: 'domains' },
    summary: 'Lists your domains, newest first',
    query: {
      ...PAGE_QUERY,
      hostname: described(
        hostnameSchema,
        'Only the one with this hostname. The page has one domain or none.',
      ),
    },
    answer: answeredPage('A page of domains.', listedDomain, LISTED),
    async run({ domains }: DomainNeeds, { caller: { accountId, scope }, request: { query }, page }) {
      const hostname = queryText(query, 'hostname');
      return page({
        list: hostname === undefined ? 'domains' : `domains ${hostname}`,
        read: (limit, after) =>
          hostname === undefined
            ? domains.list(accountId, limit, numbered(after), scope?.domainIds)
            : domains.listOwnOfHostname(accountId, canonicalHostname(hostname) ?? hostname, scope?.domainIds),
        positionOf: ({ position }) => String(position),
        show: describeListed,
      });
    },
  }),
  operation('get', '/api/domains/{id}', {
    id: 'getDomain',
    access: { actions: ['read'], to: 'whole domain' },
    summary: 'Shows one domain',
    description: '`dns` shows what the last check found. It makes no lookup.',
    answer: answered(200, 'The domain.', wholeDomain, WHOLE),
    run: async (needs: DomainNeeds, { caller, path }) => getWholeDomain(needs, caller, path.id),
  }),
  operation('patch', '/api/domains/{id}', {
    id: 'changeDomain',
    access: { actions: ['domains'], to: 'whole domain' },
    summary: 'Changes settings of a domain',
    description: 'Members that the body does not have stay as they are.',
    // `domain-changes.ts` reads the members. Null means absent, except where null is a value, as in `guard`.
    body: jsonBody(
      z.strictObject({
        indexNow: z.strictObject({ enabled: z.boolean().nullish() }).nullish(),
        guard: z.strictObject(guard.partial().shape).nullish(),
        placement: z.enum(PLACEMENTS).nullish(),
        website: described(z.boolean(), 'Whether a website uses the hostname.').nullish(),
        recent: z
          .strictObject({
            enabled: recentSettings.shape.enabled.nullish(),
            hours: recentSettings.shape.hours.nullish(),
          })
          .nullish(),
      }),
      { indexNow: { enabled: true } },
    ),
    answer: answered(200, 'The changed domain.', wholeDomain, { ...WHOLE, indexNow: { enabled: true } }),
    errors: {
      CONFLICT: 'The domain has a sitemap named `recent`, so it cannot have one of recent changes.',
      SERVICE_UNAVAILABLE: 'The operator has not set up where changed URLs are submitted.',
    },
    async run(needs: DomainNeeds, { caller, path, members }) {
      const { domains, submission } = needs;
      const domain = await domains.getOwn(caller.accountId, path.id);
      const given = await members();
      const isEnabled = parseIndexNow(given.get('indexNow'));
      const maxRemovedPercent = parseGuard(given.get('guard'));
      const placement = parsePlacement(given.get('placement'));
      const recent = parseRecent(given.get('recent'));
      const settings = {
        maxRemovedPercent,
        placement,
        website: parseSwitch('website', given.get('website')),
      };
      await needs.accounts.checkCaller(caller);
      if (isEnabled !== undefined) {
        const entry = entryOf('domain.changed', domain, { indexNow: { enabled: isEnabled } });
        await submission.switch(domain, isEnabled, (transaction) =>
          insertAuditEvent(transaction, caller, entry),
        );
      }
      await domains.changeSettings(domain, settings, (transaction, changed) => {
        const shown = 'maxRemovedPercent' in changed ? { guard: changed } : changed;
        return insertAuditEvent(transaction, caller, entryOf('domain.changed', domain, shown));
      });
      if (recent !== undefined) {
        const entry = entryOf('domain.changed', domain, { recent });
        await needs.recent.change(domain, recent, (transaction) =>
          insertAuditEvent(transaction, caller, entry),
        );
      }
      return getWholeDomain(needs, caller, domain.id);
    },
  }),
  operation('delete', '/api/domains/{id}', {
    id: 'deleteDomain',
    access: { actions: ['domains'], to: 'whole domain' },
    summary: 'Deletes a domain with all its sitemaps',
    description: 'Hosting stops serving them within two seconds.',
    answer: answered(
      200,
      'The domain is deleted.',
      z.object({ id: domainState.id, hostname: domainState.hostname, deleted: done, message: text }),
      {
        id: STATE.id,
        hostname: STATE.hostname,
        deleted: true,
        message: 'The domain and all its sitemaps have been deleted.',
      },
    ),
    async run({ domains }: DomainNeeds, { caller, path }) {
      const domain = await domains.getOwn(caller.accountId, path.id);
      await domains.delete(domain, (transaction) =>
        insertAuditEvent(transaction, caller, entryOf('domain.deleted', domain)),
      );
      const message = 'The domain and all its sitemaps have been deleted.';
      return { id: domain.id, hostname: domain.hostname, deleted: true as const, message };
    },
  }),
  operation('post', '/api/domains/{id}/verify', {
    id: 'verifyDomain',
    access: { actions: ['domains'], to: 'whole domain' },
    summary: 'Looks for the DNS records of a domain',
    description: 'The answer is 200 even if the check fails: read `status`. It takes up to 5 seconds.',
    answer: answered(
      200,
      'The state after the check.',
      z.object({
        ...domainState,
        verifiedAt: described(time, 'Absent until it is verified.').optional(),
        message: described(text, 'For people: which record was found, and which one is needed.'),
      }),
      {
        ...STATE,
        verifiedAt: '2026-01-15T10:03:00Z',
        message: 'The domain is verified. Its certificate is being issued, which takes 1 to 5 minutes.',
      },
    ),
    async run({ domains }: DomainNeeds, { caller, path }) {
      const { domain, message } = await domains.verify(await domains.getOwn(caller.accountId, path.id));
      const { id, hostname, status, sslStatus, verifiedAt } = domain;
      const verified = verifiedAt === null ? {} : { verifiedAt: isoSeconds(verifiedAt) };
      return { id, hostname, status, sslStatus, ...verified, message };
    },
  }),
]);

function entryOf(
  action: 'domain.added' | 'domain.changed' | 'domain.deleted',
  { id: domainId, hostname: subject }: Domain,
  more: object = {},
): AuditEntry {
  return { action, subject, details: { domainId, ...more } };
}

/** Returns the domain as the API shows it. Throws Refusal. */
async function getWholeDomain(needs: DomainNeeds, { accountId }: Caller, id: string) {
  const { domains, findCertificate, recent } = needs;
  const domain = await domains.getOwnSummary(accountId, id);
  const [check, certificate, summary] = await Promise.all([
    domains.findLastCheck(id),
    findCertificate(id),
    recent.find(id),
  ]);
  return describeWholeDomain(domain, check, certificate, summary);
}
