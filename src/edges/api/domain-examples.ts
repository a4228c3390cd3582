/** A domain in the examples of the API's description. */
const CNAME_TARGET = 'ekp5i6dpyv4y32lcrxskgz2lotrmqgjh.cname.example.net';
const CREATED_AT = '2026-01-15T10:00:00Z';

export const STATE = {
  id: 'domain_PlDs9c4v8PXeY16He1Yn79',
  hostname: 'sitemaps.example.com',
  status: 'verified',
  sslStatus: 'provisioning',
};

export const REGISTERED = {
  ...STATE,
  status: 'pending_verification',
  sslStatus: 'pending',
  cnameTarget: CNAME_TARGET,
  createdAt: CREATED_AT,
};

export const LISTED = {
  ...STATE,
  cnameTarget: CNAME_TARGET,
  urlCount: 25_000,
  sitemapCount: 3,
  lastUpdated: '2026-01-15T10:30:00Z',
  createdAt: CREATED_AT,
};

export const WHOLE = {
  ...LISTED,
  unicode: 'sitemaps.example.com',
  addedBy: 'Maria Keller',
  urlsAWeekAgo: 24_000,
  website: false,
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
    ...{ state: 'valid', message: null, suggestion: null, zone: 'example.com' },
    provider: { name: 'Cloudflare', url: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records' },
    records: [
      {
        ...{ type: 'CNAME', name: 'sitemaps', value: CNAME_TARGET },
        found: [{ type: 'CNAME', name: 'sitemaps.example.com', value: CNAME_TARGET }],
        ...{ state: 'valid', message: null, copy: null },
      },
      {
        ...{ type: 'CAA', name: '@', value: '0 issue "letsencrypt.org"', found: [] },
        ...{ state: 'valid', message: null, copy: null },
      },
    ],
    alternativeRecords: [],
    checkedAt: '2026-01-15T10:02:00Z',
    nextCheckAt: '2026-01-16T09:12:00Z',
  },
  certificate: {
    ...{ issuer: null, notBefore: null, notAfter: null, renewAt: null },
    ...{ lastError: null, nextAttemptAt: CREATED_AT },
  },
  indexNow: { enabled: false },
  guard: { maxRemovedPercent: 50 },
  placement: 'stable',
  recent: {
    ...{ enabled: true, hours: 72, urlCount: 1200, updatedAt: '2026-01-15T10:31:00Z' },
    leftOut: [{ sitemapName: 'products', reason: 'many-changes' }],
  },
  pendingUntil: null,
};
