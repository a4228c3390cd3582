/**
 * All settings: each has its name in the environment, its rule and its meaning. `config.ts` reads them. A test checks
 * the table in docs/operating.md and `.env.example` against this list.
 */
import { Resolver } from 'node:dns';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { canonicalHostname, isHostname } from '../../platform/dns/dns-name.ts';
import { addressRanges } from '../../platform/http/client-address.ts';
import { KeyRing } from '../../platform/key-ring.ts';
import { Secret } from '../../platform/secret.ts';
import { DEFAULT_SCOPES, issuer, readProviderList, scopes } from './oidc-providers.ts';
import { problemOfPostgresUrl } from './postgres-url.ts';
import { defaultRenderThreads } from './render-threads.ts';
import { tokenHashes } from './token-hashes.ts';

const MiB = 1024 * 1024;
/** A name has at most 253 characters. The label of a CNAME target and its dot take 33. */
const MAX_CNAME_BASE_LENGTH = 253 - 33;

const text = z.string().trim().min(1);
const secret = text.transform((value) => new Secret(value));
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const port = whole(0, 65_535);
const duration = whole(1, 24 * 3_600_000);
/** A number, or `auto` for one per core. */
const processes = z
  .string()
  .transform((value) => (value === 'auto' ? String(availableParallelism()) : value))
  .pipe(whole(1, 1024));
const yesOrNo = (byDefault: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(byDefault)
    .transform((value) => value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
const httpUrl = z.url({ protocol: /^https?$/ });
const httpOrigin = httpUrl.refine(isOrigin, 'must have no path, query, fragment or user information');
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** A permanent secret from which keys are derived. */
const master = secret.refine((key) => key.reveal().length >= 32, 'must have at least 32 characters');
const hostname = text
  .transform((value) => canonicalHostname(value) ?? '')
  .refine(isHostname, 'must be a hostname, as in example.net');

export const settingSchemas = {
  BIND_ADDRESS: text.default('127.0.0.1').describe('Address to listen on; 0.0.0.0 or :: for all'),
  API_PORT: port.default(3000).describe('Port of the API'),
  API_TLS_PORT: port
    .optional()
    .describe(
      'Port of the API for HTTPS with a certificate for API_HOSTNAME; default: none, so HTTPS is the work of a proxy',
    ),
  API_HOSTNAME: hostname
    .optional()
    .describe('Hostname of the API with API_TLS_PORT, as in api.example.net; the same for API and jobs'),
  HOSTING_PORT: port.default(8080).describe('Port of the hosting server'),
  HOSTING_TLS_PORT: port
    .optional()
    .describe('Port of the hosting server for HTTPS; default: none, and 8443 for the all in one'),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Lowest severity that is logged'),
  METRICS_PORT: port
    .optional()
    .describe('Port of /metrics, /healthz and /readyz for operators, in each process; default: none'),
  METRICS_ADDRESS: text
    .default('127.0.0.1')
    .describe('Address to listen on for METRICS_PORT; must not be public'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'Address of an OpenTelemetry collector for spans by OTLP over HTTP, as in http://collector:4318; default: none',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: secret
    .refine((pairs) => isHeaderList(pairs.reveal()), 'must be a list such as name=value,name=value')
    .optional()
    .describe('Headers for the collector, as in `authorization=Bearer%20…`; a list with commas'),
  OPERATOR_PORT: port.optional().describe("Port of the operator's API, in each API process; default: none"),
  OPERATOR_ADDRESS: text
    .default('127.0.0.1')
    .describe('Address to listen on for OPERATOR_PORT; must not be public'),
  OPERATOR_TOKENS: tokenHashes
    .default([])
    .describe(
      "Who may use the operator's API, as in terraform:<SHA-256 of the token>,ci:<…>; `npm run cli -- operator-token` makes one",
    ),
  OPERATOR_REQUESTS_PER_MINUTE: whole(1)
    .default(60_000)
    .describe("Requests per minute of one token to the operator's API"),
  IDLE_GRACE_MS: whole(0, 60_000)
    .default(2000)
    .describe('How long an idle connection stays open for one more request when a process ends'),

  TRUSTED_PROXY_RANGES: list
    .refine(areRanges, 'must be addresses and networks, as in 10.0.0.0/8,2001:db8::/32')
    .default([])
    .describe(
      'Your own proxies and load balancers: no limit per client address applies to their connections',
    ),

  DATA_DIR: text.default('./data').describe('All in one: folder of the database and the stored files'),

  DATABASE_URL: secret
    .superRefine((url, { issues }) => {
      const problem = problemOfPostgresUrl(url.reveal());
      if (problem !== undefined) issues.push({ code: 'custom', message: problem, input: '[secret]' });
    })
    .optional()
    .describe('Postgres, as in postgres://user:password@host:5432/waypost'),
  DATABASE_CONNECTIONS: whole(5, 1000).default(20).describe('Connections to Postgres per process'),
  DATABASE_TIMEOUT_MS: whole(100, 30_000)
    .default(2000)
    .describe('How long Postgres may take for an ordinary statement, and for a connection'),

  STORAGE_DIR: text.optional().describe('Object storage in a folder, instead of S3'),
  S3_ENDPOINT: httpOrigin
    // The client of S3 writes such an address without brackets into the header Host.
    .refine(
      (url) => !URL.parse(url)?.hostname.startsWith('['),
      'must have a name in place of an IPv6 address',
    )
    .optional()
    .describe('S3-compatible store, as in https://s3.example.net'),
  S3_REGION: text.default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: text
    .regex(BUCKET, 'must be the name alone: 3 to 63 lower-case letters, digits, dots and dashes')
    .optional()
    .describe('Bucket; it must exist'),
  S3_ACCESS_KEY: secret.optional().describe('Access key of the store'),
  S3_SECRET_KEY: secret.optional().describe('Secret key of the store'),
  S3_TIMEOUT_MS: duration
    .default(15_000)
    .describe(
      'How long the store may take to answer, or to send more of a file; a put gets more time, by its size',
    ),

  PUBLIC_ORIGIN: z
    .string()
    .regex(/^https?:\/\/\{hostname\}(:\d+)?$/)
    .default('https://{hostname}')
    .describe("Origin of hosted files; {hostname} stands for the domain's hostname"),
  CNAME_BASE: hostname
    .refine((name) => name.length <= MAX_CNAME_BASE_LENGTH, 'must have at most 220 characters')
    .optional()
    .describe('Parent domain of the CNAME targets, as in cname.example.net'),
  CNAME_SECRET: secret.optional().describe('key of CNAME targets, cursors and kept answers; keep it forever'),
  DNS_SERVERS: list
    .refine(
      (servers) => isAccepted(() => new Resolver().setServers(servers)),
      'must be addresses, with a port if it is not 53',
    )
    .optional()
    .describe(
      "Resolvers for the checks of customers' DNS records, as in 1.1.1.1,9.9.9.9:53; default: the system's",
    ),
  RESERVED_HOSTNAMES: list
    .pipe(z.array(hostname))
    .default([])
    .describe('Your own names: customers cannot register these or any name below them'),

  CERTIFICATE_KEYS: secret
    .refine(
      (keys) => isAccepted(() => new KeyRing(keys.reveal())),
      'must have the form id:key,id:key, each key 32 bytes in base64 (openssl rand -base64 32)',
    )
    .optional()
    .describe(
      'Seal the private keys of certificates and the keys of connections: the first one seals, all of them open',
    ),

  ACME_DIRECTORY: list
    .pipe(z.array(z.url({ protocol: /^https$/ })))
    .default([])
    .describe(
      'Certificate authorities, in the order of preference, as in https://acme-v02.api.letsencrypt.org/directory; ' +
        'with it you accept their terms',
    ),
  ACME_CONTACT: list
    .pipe(z.array(z.email()))
    .default([])
    .describe('Email addresses that certificate authorities may write to'),
  ACME_PROFILE: text
    .optional()
    .describe('Profile of certificates, as in tlsserver, at authorities that offer it'),
  ACME_EXTERNAL_ACCOUNTS: text
    .transform(jsonOf(z.record(z.string(), z.strictObject({ keyId: text, hmacKey: secret }))))
    .default({})
    .describe(
      'JSON for authorities that require accounts of theirs, as in {"<directory>":{"keyId":"a","hmacKey":"b"}}',
    ),
  ACME_ORDERS_PER_3H: text
    .transform(jsonOf(z.record(z.string(), z.int().min(1))))
    .default({})
    .describe(
      'JSON with the new orders in three hours that each authority may get, as in {"<directory>":10000}; 250 at others',
    ),
  CHALLENGE_PORT: port
    .default(80)
    .describe('Port at which certificate authorities reach hosting; only tests need another'),

  PLANS: text.optional().describe('JSON that overrides limits, as in {"free":{"domains":2}}'),
  AUTH_FAILURES_PER_MINUTE: whole(1)
    .default(60)
    .describe('Failed authentications per minute and client address'),
  TRUSTED_PROXIES: whole(0, 10).default(0).describe('Reverse proxies in front of the API'),

  DASHBOARD_ORIGIN: httpOrigin
    .transform((origin) => new URL(origin).origin)
    .optional()
    .describe(
      'Where browsers reach the API, as in https://api.example.net; default: no dashboard, and http://127.0.0.1:<API_PORT> ' +
        'for the all in one',
    ),
  DASHBOARD_SECRET: master
    .optional()
    .describe('Key that seals what the dashboard keeps of sessions; required with DASHBOARD_ORIGIN'),
  DASHBOARD_REQUESTS_PER_MINUTE: whole(1)
    .default(300)
    .describe('Reads per minute of one person in the dashboard, and as many changes'),
  DOCS_URL: httpUrl.optional().describe('Your documents, for the Help of the dashboard; default: none'),
  STATUS_URL: httpUrl.optional().describe('Your status page, for the Help of the dashboard; default: none'),
  SUPPORT_CONTACT: text
    .refine(isContact, 'must be an address that begins with http:// or https://, or an email address')
    .optional()
    .describe('Where people reach you, for the Help of the dashboard; default: none'),
  OIDC_ISSUER: issuer
    .optional()
    .describe('OpenID provider with which people sign in, as in https://accounts.google.com'),
  OIDC_CLIENT_ID: text.optional().describe('Our id at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: secret.optional().describe('Our secret at OIDC_ISSUER; default: a public client'),
  OIDC_NAME: text
    .optional()
    .describe('What people call OIDC_ISSUER, as in Acme; default: the hostname of the issuer'),
  OIDC_SCOPES: scopes.default(DEFAULT_SCOPES).describe('What OIDC_ISSUER is asked for'),
  OIDC_PROVIDERS: text
    .transform(readProviderList)
    .default([])
    .describe(
      'More providers as JSON: [{"id":"acme","name":"Acme","issuer":"https://…","clientId":"…","clientSecret":"…"}]',
    ),
  OIDC_EMAIL_DOMAINS: list
    .pipe(z.array(hostname))
    .default([])
    .describe(
      'Only people with a verified e-mail address of these domains may sign in, as in example.net; default: everybody',
    ),

  API_GRACE_MS: duration
    .default(20_000)
    .describe(
      'How long uploads under way may continue when the API ends, before they get 503. The process may need 10 s ' +
        'more. By default, Docker kills a process after 10 s and Kubernetes after 30 s',
    ),
  API_MAX_CONNECTIONS: whole(1)
    .default(2000)
    .describe('Connections per API process; beyond this, the longest-idle one makes room'),
  API_CONNECTIONS_PER_CLIENT: whole(1)
    .default(500)
    .describe('Connections of one client address, or one /64 of IPv6, per API process'),

  MAX_BODY_BYTES: whole(1024)
    .default(64 * 1024)
    .describe('Largest request body, except for uploads'),
  MAX_UPLOAD_BYTES: whole(1024)
    .default(16 * 1024 * MiB)
    .describe('Largest upload body'),
  UPLOAD_TIMEOUT_MS: whole(1000, 23 * 3_600_000)
    .default(12 * 3_600_000)
    .describe('Longest time that one upload may take'),
  UPLOAD_STALL_TIMEOUT_MS: whole(1000, 3_600_000)
    .default(120_000)
    .describe('How long the body of an upload may pause while we wait for it'),
  UPLOAD_MIN_BYTES_PER_SECOND: whole(0, MiB)
    .default(1024)
    .describe('Lowest rate of an upload over UPLOAD_STALL_TIMEOUT_MS, in decompressed bytes; 0: none'),
  UPLOADS_PER_ACCOUNT: whole(1, 1000)
    .default(4)
    .describe('Concurrent uploads of one account, over all processes'),
  UPLOADS_PER_PROCESS: whole(1)
    .default(200)
    .describe('Concurrent uploads in one API process, of all accounts'),
  DELTA_BYTES_PER_MINUTE: whole(1024)
    .default(6_000_000_000)
    .describe(
      'Bytes that deltas of one sitemap write in a minute; beyond this they begin up to 10 s later, in larger groups',
    ),
  RENDER_THREADS: whole(1, 256)
    .default(defaultRenderThreads())
    .describe(
      'Worker threads that validate and render; default: one per core, and at most one for each 128 MiB of memory',
    ),
  TRANSCODE_ENTRIES: yesOrNo('true').describe(
    'Whether entries take the fast path; the sitemaps are the same either way',
  ),
  PING_URL: httpUrl
    .optional()
    .describe('Requested with ?sitemap=<url> when an upload sets pingSearch; default: nothing is sent'),

  WEBHOOK_SECRET: master
    .optional()
    .describe(
      'Key from which the secrets of webhooks are made; keep it forever. Without it webhooks are off, and events wait',
    ),
  SMTP_URL: secret
    .refine(
      (url) => /^smtps?:$/.test(URL.parse(url.reveal())?.protocol ?? ''),
      'must begin with smtp:// or smtps://',
    )
    .optional()
    .describe(
      'The mail server, as in smtps://user:password@mail.example.net; needs MAIL_FROM, WEBHOOK_SECRET and DASHBOARD_ORIGIN; default: no mails',
    ),
  MAIL_FROM: text
    .refine(isSender, 'must be an address, or a name and an address, as in Waypost <waypost@example.net>')
    .optional()
    .describe('The sender of mails, as in Waypost <waypost@example.net>'),
  OUTBOUND_ALLOWED_RANGES: list
    .refine(areRanges, 'must be addresses and networks, as in 10.1.0.0/16,2001:db8::/32')
    .default([])
    .describe('Private addresses that webhooks, loads and checks of hosts may reach all the same'),
  OUTBOUND_CONTACT: text
    .refine(isContact, 'must be an address that begins with http:// or https://, or an email address')
    .optional()
    .describe('Where hosts that we ask find out about you; it stands in the User-Agent'),
  INDEXNOW_ENDPOINT: httpUrl
    .refine(isSafe, 'must be an https address')
    .optional()
    .describe(
      'Where changed URLs are submitted, as in https://api.indexnow.org/indexnow; default: nothing is sent',
    ),
  INDEXNOW_URLS_PER_DAY: whole(1, 1_000_000_000)
    .default(10_000)
    .describe('URLs that are submitted for a page host per day, in UTC; the rest waits'),
  WEBSUB_HUB: httpUrl
    .optional()
    .describe(
      'The WebSub hub that hears of new versions of feeds of changes, as in https://hub.example.net/; default: none',
    ),

  KEEP_REPLACED_MS: whole(0)
    .default(24 * 3_600_000)
    .describe('How long replaced and abandoned files are kept'),
  SITE_FRESH_MS: whole(0, 2000)
    .default(1000)
    .describe('How long hosting uses its copy of a site before it asks the store again'),

  HOSTING_PROCESSES: processes
    .default(1)
    .describe('Processes of the hosting server, all on one port; auto: one per core'),
  HOSTING_GRACE_MS: duration
    .default(8000)
    .describe('How long answers under way may continue when a hosting process ends'),
  HOSTING_CACHE_BYTES: whole(0)
    .default(192 * MiB)
    .describe('Memory for files and listings, per hosting process'),
  HOSTING_SITE_CACHE_BYTES: whole(MiB)
    .default(128 * MiB)
    .describe('Memory for the sites that hosting knows, with their small files, per hosting process'),
  HOSTING_CERTIFICATE_CACHE_BYTES: whole(MiB)
    .default(96 * MiB)
    .describe('Memory for certificates, some 49 KiB each, per hosting process'),
  HOSTING_STORAGE_TIMEOUT_MS: duration
    .default(5000)
    .describe('How long hosting waits for the object storage to answer, or to send more of a file'),
  HOSTING_UNKNOWN_HOSTS_PER_SECOND: whole(1)
    .default(200)
    .describe('Hosts without a site looked up in the object storage per second, per hosting process'),
  HOSTING_MAX_CONNECTIONS: whole(1)
    .default(10_000)
    .describe('Connections per hosting process; beyond this, the longest-idle one makes room'),
  HOSTING_CONNECTIONS_PER_CLIENT: whole(1)
    .default(1000)
    .describe('Connections of one client address, or one /64 of IPv6, per hosting process'),
  HOSTING_PROXY_PROTOCOL: yesOrNo('false').describe(
    'Whether connections from TRUSTED_PROXY_RANGES begin with a PROXY header (version 1 or 2)',
  ),
  HOSTING_HEADERS_TIMEOUT_MS: duration
    .default(10_000)
    .describe('How long a crawler may take for a handshake, and to send a request'),
  HOSTING_KEEP_ALIVE_TIMEOUT_MS: duration
    .default(65_000)
    .describe('How long a connection may wait for its next request; use more than your load balancer does'),
  HOSTING_STALL_TIMEOUT_MS: duration.default(30_000).describe('How long an answer may make no progress'),
  HOSTING_MIN_BYTES_PER_SECOND: whole(1)
    .default(16 * 1024)
    .describe('Lowest rate at which a crawler may read a file; one that stays slower is cut'),
  CRAWL_COUNTS_MS: whole(0, 3_600_000)
    .default(60_000)
    .describe('How often a hosting process stores its counts of answers to crawlers; 0: it counts none'),
} as const;

/** Whether a parser accepts a value. `parse`: throws if the parser does not. */
function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Parses JSON with a value for each certificate authority, by the URL of its directory. */
function jsonOf<Value>(schema: z.ZodType<Value>) {
  return (text: string, { issues }: z.core.$RefinementCtx): Value => {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      issues.push({ code: 'custom', message: 'must be JSON of this form', input: '[secret]' });
      return z.NEVER;
    }
  };
}

/** The contact must fit into a comment of the User-Agent header. */
function isContact(text: string): boolean {
  const isKnown = httpUrl.safeParse(text).success || z.email().safeParse(text).success;
  return isKnown && /^[\x21-\x7e]+$/.test(text) && !/[()\\]/.test(text);
}

/** Whether the address uses https, or names a server on this machine. */
function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || hostname.startsWith('127.');
}

function isSender(text: string): boolean {
  const [, address = text] = /^[^<>"@\r\n]+ <([^<>]+)>$/.exec(text) ?? [];
  return z.email().safeParse(address).success;
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.href === `${url.origin}/`;
}

/** Whether the text is a list of header fields: names by RFC 9110, and percent-encoded values. */
function isHeaderList(text: string): boolean {
  const pair = /^\s*[\w!#$%&'*+.^`|~-]+=(?:[!-$&-~]|%[2-7][0-9A-Fa-f])*\s*$/;
  return text.split(',').every((one) => pair.test(one));
}

function areRanges(ranges: string[]): boolean {
  return isAccepted(() => addressRanges(ranges));
}
