/** Domains as the API shows them (spec 2.1, spec D44, spec D45). */
import { domainToUnicode } from 'node:url';
import { z } from 'zod';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { CertificateSummary } from '../../features/certificates/certificate.ts';
import type { LastCheck } from '../../features/domains/check-store.ts';
import type { CreatedDomain } from '../../features/domains/create-domain.ts';
import { PENDING_MS } from '../../features/domains/delete-domain.ts';
import {
  DOMAIN_STATUSES,
  type Domain,
  type DomainSummary,
  PLACEMENTS,
  type WholeDomain,
} from '../../features/domains/domain.ts';
import { LEFT_OUT_REASONS } from '../../features/entries/changed-entries.ts';
import { MAX_HOURS, MIN_HOURS } from '../../features/recent/change-recent.ts';
import type { RecentSummary } from '../../features/recent/recent-store.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { describeDns, dns } from './describe-dns.ts';
import { count, described, id, type Shown, shownAs, text, time } from './shapes.ts';

export const domainState = {
  id: id('domain'),
  hostname: described(text, 'In lower case and A-labels.'),
  status: described(z.enum(DOMAIN_STATUSES), 'It is served while it is `verified` or `active`.'),
  sslStatus: z.enum(['pending', 'provisioning', 'active', 'failed']),
};
const registered = {
  ...domainState,
  cnameTarget: described(text, 'Where the CNAME record must point.'),
  createdAt: time,
};

export const registeredDomain = z
  .object({
    ...registered,
    warnings: described(
      z.array(text),
      'For people: the hostname seems to have a website, which changed DNS records would take away.',
    ).optional(),
  })
  .meta({ id: 'RegisteredDomain' });

const counted = {
  ...registered,
  urlCount: described(count, 'URLs of all its sitemaps.'),
  sitemapCount: described(count, 'Files of all its sitemaps, without indexes.'),
  lastUpdated: described(time.nullable(), 'Of its last upload.'),
};

export const listedDomain = z.object(counted).meta({ id: 'Domain' });

const certificate = z
  .object({
    issuer: text.nullable(),
    notBefore: described(time.nullable(), 'From when it is valid.'),
    notAfter: described(time.nullable(), 'When it expires.'),
    renewAt: time.nullable(),
    lastError: described(text.nullable(), 'For people: why the last attempt to get a new one failed.'),
    nextAttemptAt: time.nullable(),
  })
  .meta({ id: 'Certificate' });

export const guard = z.object({
  maxRemovedPercent: described(
    z.int().min(0).max(100).nullable(),
    'An upload that removes more URLs of a sitemap than this is held. Null: none is.',
  ),
});

const settings = {
  enabled: described(z.boolean(), 'Whether the domain has a sitemap of recent changes.'),
  hours: described(z.int().min(MIN_HOURS).max(MAX_HOURS), 'How long a change stays in it.'),
};
const MAX_LEFT_OUT = 100;
export const recentSettings = z.object(settings);

const recent = z
  .object({
    ...settings,
    urlCount: described(count, 'URLs of `/sitemap-recent.xml`, which does not exist while it has none.'),
    updatedAt: described(time.nullable(), 'When it was last written.'),
    leftOut: described(
      z.array(z.object({ sitemapName: text, reason: z.enum(LEFT_OUT_REASONS) })).max(MAX_LEFT_OUT),
      'Sitemaps with changes in this time that are missing, and why: the first 100.',
    ),
  })
  .meta({ id: 'Recent' });

export const wholeDomain = z
  .object({
    ...counted,
    unicode: described(text, 'The hostname as people write it.'),
    website: described(
      z.boolean().nullable(),
      'Whether the hostname may have a website. Null: not known. `PATCH` with false if it has none.',
    ),
    dns,
    certificate: certificate.nullable(),
    indexNow: z.object({ enabled: described(z.boolean(), 'Whether its changed URLs are submitted.') }),
    guard,
    placement: described(
      z.enum(PLACEMENTS),
      'Where uploads put their entries: `stable` leaves each in the file that it is in, `order` follows the list.',
    ),
    recent,
    addedBy: described(text.nullable(), 'The name of the person or key. Null: it is not known, or gone.'),
    urlsAWeekAgo: described(count, 'URLs of all its sitemaps seven days ago.'),
    pendingUntil: described(time.nullable(), 'When it is deleted, unless it is verified by then.'),
    message: described(text, 'For people: why it failed; only with `status` `failed`.').optional(),
  })
  .meta({ id: 'WholeDomain' });

export function describeCreated({ domain, warnings }: CreatedDomain): Shown<typeof registeredDomain> {
  return shownAs(registeredDomain, { ...domain, ...(warnings.length > 0 && { warnings }) });
}

export function describeListed(domain: DomainSummary): Shown<typeof listedDomain> {
  return shownAs(listedDomain, domain);
}

export function describeWholeDomain(
  domain: WholeDomain,
  check: LastCheck,
  summary: CertificateSummary | undefined,
  recent: RecentSummary,
): Shown<typeof wholeDomain> {
  return {
    ...describeListed(domain),
    unicode: domainToUnicode(domain.hostname),
    website: domain.website,
    ...describeFailure(domain),
    addedBy: domain.addedBy,
    urlsAWeekAgo: domain.urlsAWeekAgo ?? domain.urlCount,
    pendingUntil: pendingUntil(domain),
    dns: describeDns(domain, check),
    certificate: summary === undefined ? null : shownAs(certificate, summary),
    indexNow: { enabled: domain.isIndexNowEnabled },
    guard: { maxRemovedPercent: domain.maxRemovedPercent },
    placement: domain.placement,
    recent: describeRecent(recent),
  };
}

function describeRecent(summary: RecentSummary): Shown<typeof recent> {
  const leftOut = summary.leftOut.slice(0, MAX_LEFT_OUT).map(({ sitemapName, reason }) => ({
    sitemapName: shownSitemapName(sitemapName),
    reason,
  }));
  return shownAs(recent, { ...summary, leftOut });
}

/** Returns the time at which a domain in `pending_verification` is deleted; null for other domains. */
function pendingUntil({ status, createdAt }: Domain): string | null {
  if (status !== 'pending_verification') return null;
  return isoSeconds(new Date(createdAt.getTime() + PENDING_MS));
}

function describeFailure({ status, failure }: Domain) {
  return status === 'failed' && failure !== null ? { message: failure } : {};
}
