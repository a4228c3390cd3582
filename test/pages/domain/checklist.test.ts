import { expect, test } from 'vitest';
import type { DomainDetails, FileVisit, PageHost } from '../../../client/src/answers.ts';
import {
  checklist,
  doneCount,
  headState,
  type Seen,
  stepsOf,
  summaryOf,
} from '../../../pages/views/domain/checklist.ts';
import { WHOLE } from '../../../src/edges/api/domain-examples.ts';

const NOW = Date.parse('2026-01-20T10:00:00Z');
const CERTIFICATE = {
  issuer: "Let's Encrypt",
  notBefore: '2026-01-15T10:00:00Z',
  notAfter: '2026-04-15T10:00:00Z',
  renewAt: '2026-03-15T10:00:00Z',
  lastError: null,
  nextAttemptAt: null,
};
const LIVE = {
  ...(WHOLE as unknown as DomainDetails),
  status: 'active',
  sslStatus: 'active',
  certificate: CERTIFICATE,
} as const satisfies DomainDetails;
const HOST: PageHost = {
  origin: 'https://www.example.com',
  host: 'www.example.com',
  urlCount: 12_480,
  state: 'found',
  message: null,
  line: 'Sitemap: https://sitemaps.example.com/sitemap-index.xml',
  robotsUrl: 'https://www.example.com/robots.txt',
  checkedAt: '2026-01-20T09:56:00Z',
  nextCheckAt: '2026-01-21T10:00:00Z',
};
const VISIT: FileVisit = {
  file: 'sitemap.xml',
  url: 'https://sitemaps.example.com/sitemap.xml',
  crawler: 'Googlebot',
  status: 200,
  lastVisitAt: '2026-01-20T09:00:00Z',
  requests: 3,
};
const NOTHING: Seen = { hosts: undefined, visits: [] };
const SEEN: Seen = { hosts: [HOST], visits: [VISIT] };

const withDns = (domain: DomainDetails, dns: Partial<DomainDetails['dns']>): DomainDetails => ({
  ...domain,
  dns: { ...domain.dns, ...dns },
});
const PENDING: DomainDetails = {
  ...withDns(LIVE, {
    state: 'not_found',
    problem: 'No matching CNAME record was found.',
    message: 'New records …',
  }),
  status: 'pending_verification',
  sslStatus: 'pending',
  certificate: null,
  lastUpdated: null,
};

function see(domain: DomainDetails, seen: Seen = SEEN) {
  const steps = checklist(domain, seen, NOW);
  return {
    states: stepsOf(steps)
      .map(({ state }) => state)
      .join(' '),
    done: doneCount(steps),
    head: headState(domain, steps),
    summary: summaryOf(domain, steps),
    steps,
  };
}

test('all five are done', () => {
  const { states, done, head, summary, steps } = see(LIVE);
  expect(states).toBe('done done done done done');
  expect({ done, head, summary }).toEqual({
    done: 5,
    head: { tone: 'good', word: 'Live' },
    summary: 'Your sitemaps are live.',
  });
  expect(steps.dns.line).toBe('Points to Waypost, at Cloudflare');
  expect(steps.https).toMatchObject({ line: "Let's Encrypt, renewed for you", aside: 'Until 15 Apr 2026' });
  expect(steps.crawl).toMatchObject({ line: 'Googlebot: sitemap.xml', aside: '1 hr ago' });
});

test.each<[string, DomainDetails, Seen, string, string, string]>([
  [
    'nothing is there yet',
    PENDING,
    NOTHING,
    'now later later later later',
    'DNS: not found yet',
    'Nothing is live yet.',
  ],
  [
    'the record is wrong',
    withDns(PENDING, { state: 'domain_added' }),
    NOTHING,
    'wrong later later later later',
    'DNS: domain added twice',
    'Nothing is live yet.',
  ],
  [
    'a website stands there',
    withDns(PENDING, { state: 'website' }),
    NOTHING,
    'wrong later later later later',
    'Looks like your website',
    'Nothing is live yet.',
  ],
  [
    'another account has it',
    withDns(PENDING, { state: 'in_use', problem: null }),
    NOTHING,
    'wrong later later later later',
    'In use elsewhere',
    'Nothing is live yet.',
  ],
  [
    'no answer before it was right',
    withDns(PENDING, { state: 'no_answer' }),
    NOTHING,
    'unknown later later later later',
    "DNS: couldn't check",
    'Nothing is live yet.',
  ],
  [
    'no answer later',
    withDns(LIVE, { state: 'no_answer', problem: 'The DNS lookup of …' }),
    SEEN,
    'unknown done done done done',
    'Live',
    'Your sitemaps are live.',
  ],
  [
    'CAA forbids before a certificate',
    withDns(PENDING, {
      records: [
        {
          ...LIVE.dns.records[1]!,
          state: 'blocked',
          message: 'Add the CAA record 0 issue "letsencrypt.org"',
        },
      ],
    }),
    NOTHING,
    'now wrong later later later',
    'DNS: not found yet',
    'Nothing is live yet.',
  ],
  [
    'it leads elsewhere later',
    withDns(LIVE, { state: 'wrong_target', problem: 'The CNAME record …', message: 'It points to x.' }),
    SEEN,
    'wrong done done done done',
    'Needs fixing',
    'Your sitemaps are live for now, but the DNS points elsewhere.',
  ],
  [
    'the certificate comes',
    {
      ...LIVE,
      status: 'verified',
      sslStatus: 'provisioning',
      certificate: { ...CERTIFICATE, issuer: null, notAfter: null },
    },
    SEEN,
    'done now done done done',
    'Getting a certificate',
    'Your sitemaps are live.',
  ],
  [
    'no certificate could be issued',
    {
      ...LIVE,
      status: 'verified',
      sslStatus: 'failed',
      certificate: { ...CERTIFICATE, issuer: null, notAfter: null, lastError: 'CAA forbids it.' },
    },
    SEEN,
    'done wrong done done done',
    'No certificate',
    'Your sitemaps are live, but HTTPS needs you.',
  ],
  [
    'no upload yet',
    { ...LIVE, lastUpdated: null },
    { hosts: undefined, visits: undefined },
    'done done now later later',
    'Live',
    'Crawlers find nothing here until your first upload.',
  ],
  [
    'robots.txt breaks after the first crawl',
    LIVE,
    { ...SEEN, hosts: [HOST, { ...HOST, host: 'shop.example.com', state: 'unreachable' }] },
    'done done done wrong done',
    'Needs fixing',
    "Your sitemaps are live, but crawlers can't use them yet.",
  ],
  [
    'no crawler yet',
    LIVE,
    { ...SEEN, visits: [] },
    'done done done done now',
    'Live',
    'Your sitemaps are live.',
  ],
])('%s', (_what, domain, seen, states, word, summary) => {
  const found = see(domain, seen);
  expect(found).toMatchObject({ states, summary, head: { word } });
});

test('a certificate that cannot be renewed says why, and when the next try is', () => {
  const certificate = { ...CERTIFICATE, lastError: 'CAA forbids it.', nextAttemptAt: '2026-01-20T10:30:00Z' };
  const { steps } = see({ ...LIVE, certificate });
  expect(steps.https.line).toBe("Couldn't renew the certificate: CAA forbids it. Next try in 30 min.");
});

test('of several hosts the worst is named, with the number of the others', () => {
  const hosts: PageHost[] = [
    HOST,
    { ...HOST, host: 'a.example.com', state: 'missing' },
    { ...HOST, host: 'b.example.com', state: 'disallowed' },
    { ...HOST, host: 'c.example.com', state: 'partly' },
  ];
  expect(see(LIVE, { ...SEEN, hosts }).steps.robots).toMatchObject({
    state: 'wrong',
    line: 'b.example.com: blocks crawlers, and 2 more hosts',
  });
});
