/** Domains, in the API's description. */
import { z } from 'zod';
import { DOMAIN_STATUSES } from '../../domains/domain.ts';
import { hostnameSchema } from '../../domains/hostname.ts';
import type { Operation } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  id,
  jsonBody,
  PAGE_QUERY,
  text,
  time,
} from './shapes.ts';

const EXAMPLE = {
  id: 'domain_PlDs9c4v8PXeY16He1Yn79',
  hostname: 'sitemaps.example.com',
  status: 'verified',
  sslStatus: 'provisioning',
};
const CNAME_TARGET = 'ekp5i6dpyv4y32lcrxskgz2lotrmqgjh.cname.example.net';
const CREATED_AT = '2026-01-15T10:00:00Z';

const state = {
  id: id('domain'),
  hostname: described(text, 'In lower case and A-labels.'),
  status: described(z.enum(DOMAIN_STATUSES), 'It is served while it is `verified` or `active`.'),
  sslStatus: z.enum(['pending', 'provisioning', 'active', 'failed']),
};
const registered = {
  ...state,
  cnameTarget: described(text, 'Where the CNAME record must point.'),
  createdAt: time,
};
const counted = {
  ...registered,
  urlCount: described(count, 'URLs of all its sitemaps.'),
  sitemapCount: described(count, 'Files of all its sitemaps, without indexes.'),
  lastUpdated: described(time.nullable(), 'Of its last upload.'),
};

const record = z.object({ type: text, name: text, value: text }).meta({ id: 'DnsRecord' });

const dns = z
  .object({
    wanted: described(record, 'The CNAME record to make.'),
    alternative: described(record, 'The TXT record for a name that cannot have a CNAME record.'),
    found: described(z.array(record).max(32), 'The records of the last check.'),
    proxied: described(z.boolean(), 'Whether a proxy shows its addresses in place of the CNAME record.'),
    problem: described(text.nullable(), 'For people: what is wrong, and the cure.'),
    checkedAt: time.nullable(),
    nextCheckAt: described(time.nullable(), 'Null if none is planned.'),
  })
  .meta({ id: 'Dns' });

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

const guard = z.object({
  maxRemovedPercent: described(
    z.int().min(0).max(100).nullable(),
    'An upload that removes more URLs of a sitemap than this is held. Null: none is.',
  ),
});

const wholeDomain = z
  .object({
    ...counted,
    dns,
    certificate: certificate.nullable(),
    indexNow: z.object({ enabled: described(z.boolean(), 'Whether its changed URLs are submitted.') }),
    guard,
    pendingUntil: described(time.nullable(), 'When it is deleted, unless it is verified by then.'),
    message: described(text, 'For people: why it failed; only with `status` `failed`.').optional(),
  })
  .meta({ id: 'WholeDomain' });

/** As `domain-changes.ts` reads it: null means absent, except where it says more. */
const changes = z.strictObject({
  indexNow: z.strictObject({ enabled: z.boolean().nullish() }).nullish(),
  guard: z.strictObject(guard.partial().shape).nullish(),
});

const SUMMARY = {
  ...EXAMPLE,
  cnameTarget: CNAME_TARGET,
  urlCount: 25_000,
  sitemapCount: 3,
  lastUpdated: '2026-01-15T10:30:00Z',
  createdAt: CREATED_AT,
};

const WHOLE = {
  ...SUMMARY,
  dns: {
    wanted: { type: 'CNAME', name: 'sitemaps.example.com', value: CNAME_TARGET },
    alternative: {
      type: 'TXT',
      name: '_waypost.sitemaps.example.com',
      value: CNAME_TARGET.split('.')[0],
    },
    found: [{ type: 'CNAME', name: 'sitemaps.example.com', value: CNAME_TARGET }],
    proxied: false,
    problem: null,
    checkedAt: '2026-01-15T10:02:00Z',
    nextCheckAt: '2026-01-16T09:12:00Z',
  },
  certificate: {
    ...{ issuer: null, notBefore: null, notAfter: null, renewAt: null },
    ...{ lastError: null, nextAttemptAt: CREATED_AT },
  },
  indexNow: { enabled: false },
  guard: { maxRemovedPercent: 50 },
  pendingUntil: null,
};

const tag = 'Domains';

export const domainOperations: readonly Operation[] = [
  {
    id: 'createDomain',
    method: 'post',
    path: '/api/domains',
    tag,
    summary: 'Registers a hostname',
    description: 'Make a CNAME record from the hostname to `cnameTarget` then, and verify the domain.',
    body: jsonBody(
      z.strictObject({
        hostname: described(hostnameSchema, 'A full name that you control, as in `sitemaps.example.com`.'),
      }),
      { hostname: 'sitemaps.example.com' },
    ),
    answers: answered(
      201,
      'The domain is registered.',
      z
        .object({
          ...registered,
          warnings: described(
            z.array(text),
            'For people: the hostname seems to have a website, which changed DNS records would take away.',
          ).optional(),
        })
        .meta({ id: 'RegisteredDomain' }),
      {
        ...EXAMPLE,
        status: 'pending_verification',
        sslStatus: 'pending',
        cnameTarget: CNAME_TARGET,
        createdAt: CREATED_AT,
      },
    ),
    errors: {
      CONFLICT: 'You have registered the hostname, or another account has verified it.',
      VALIDATION_ERROR: 'With `details.limit`, the plan has no room for another domain.',
    },
  },
  {
    id: 'listDomains',
    method: 'get',
    path: '/api/domains',
    tag,
    summary: 'Lists your domains, newest first',
    query: PAGE_QUERY,
    answers: answeredPage('A page of domains.', z.object(counted).meta({ id: 'Domain' }), SUMMARY),
  },
  {
    id: 'getDomain',
    method: 'get',
    path: '/api/domains/{id}',
    tag,
    summary: 'Shows one domain',
    description: '`dns` shows what the last check found. It makes no lookup.',
    answers: answered(200, 'The domain.', wholeDomain, WHOLE),
  },
  {
    id: 'changeDomain',
    method: 'patch',
    path: '/api/domains/{id}',
    tag,
    summary: 'Changes settings of a domain',
    description: 'Members that the body does not have stay as they are.',
    body: jsonBody(changes, { indexNow: { enabled: true } }),
    answers: answered(200, 'The changed domain.', wholeDomain, { ...WHOLE, indexNow: { enabled: true } }),
    errors: { SERVICE_UNAVAILABLE: 'The operator has not set up where changed URLs are submitted.' },
  },
  {
    id: 'deleteDomain',
    method: 'delete',
    path: '/api/domains/{id}',
    tag,
    summary: 'Deletes a domain with all its sitemaps',
    description: 'Hosting stops serving them within two seconds.',
    answers: answered(
      200,
      'The domain is deleted.',
      z.object({ id: state.id, hostname: state.hostname, deleted: done, message: text }),
      {
        id: EXAMPLE.id,
        hostname: EXAMPLE.hostname,
        deleted: true,
        message: 'The domain and all its sitemaps have been deleted.',
      },
    ),
  },
  {
    id: 'verifyDomain',
    method: 'post',
    path: '/api/domains/{id}/verify',
    tag,
    summary: 'Looks for the DNS records of a domain',
    description: 'The answer is 200 even if the check fails: read `status`. It takes up to 5 seconds.',
    answers: answered(
      200,
      'The state after the check.',
      z.object({
        ...state,
        verifiedAt: described(time, 'Absent until it is verified.').optional(),
        message: described(text, 'For people: which record was found, and which one is needed.'),
      }),
      {
        ...EXAMPLE,
        verifiedAt: '2026-01-15T10:03:00Z',
        message: 'The domain is verified. Its certificate is being issued, which takes 1 to 5 minutes.',
      },
    ),
  },
];
