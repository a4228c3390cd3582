/** The table of rooms. `npm run rooms` writes it into the documents. */

export interface Floor {
  readonly name: string;
  /** Each room, and what it is. */
  readonly rooms: Readonly<Record<string, string>>;
}

/**
 * The floors of `src/`, the highest first. A room imports from itself and from the floors below its own, and never from
 * another room on its floor.
 */
export const FLOORS: readonly Floor[] = [
  {
    name: 'programs',
    rooms: { src: 'the files directly in `src/`: a program each' },
  },
  {
    name: 'commands',
    rooms: { cli: 'the command line of operators' },
  },
  {
    name: 'wiring',
    rooms: {
      compose:
        'opens the rooms of each process by their `open-<room>.ts` (docs/decisions/0047), and gives their verbs to the edges',
    },
  },
  {
    name: 'monitoring',
    rooms: { operations: 'metrics, health and readiness' },
  },
  {
    name: "operator's edge",
    rooms: {
      'edges/operator': "the operator's API: the operations of tokens, by the means of `edges/api`",
    },
  },
  {
    name: 'edges',
    rooms: {
      'edges/api':
        'operations and authentication; `openapi/` describes them, `reference/` serves that as a page',
      'edges/dashboard': 'sessions of people, their sign-in, and the routes that only people have',
      'edges/hosting':
        '`tls/` shakes hands, `lookup/` finds the file, `answer/` speaks HTTP, `bodies/` bounds memory',
    },
  },
  {
    name: 'overview',
    rooms: {
      'features/needs': 'what needs the people of an account, in words, and its domains by urgency',
    },
  },
  {
    name: 'features',
    rooms: {
      'features/uploads': 'from bytes to a live sitemap',
      'features/certificates': 'from a verified domain to HTTPS, and renewals',
      'features/changes': 'which URLs an upload changed',
      'features/find': 'where a URL is, by indexes or in the files',
      'features/recent': 'the sitemap and the feed of recent changes',
      'features/submission': 'from changed URLs to search engines, by IndexNow',
      'features/page-hosts':
        'whether crawlers believe the sitemaps about pages of other hosts, by robots.txt',
      'features/crawls': 'counted answers to crawlers, from the store to Postgres',
      'features/usage': 'what accounts used, by day',
      'features/doctor': 'compares Postgres with the store',
    },
  },
  {
    name: 'entries',
    rooms: { 'features/entries': 'reads stored files entry by entry, and compares their hashes' },
  },
  {
    name: 'sites',
    rooms: { 'features/sites': 'writes what hosting reads, changes sites, collects garbage' },
  },
  {
    name: 'domains',
    rooms: {
      'features/domains':
        'hostnames, the diagnosis of their DNS records, and their life: verified, checked again, failed',
    },
  },
  {
    name: 'accounts',
    rooms: {
      'features/accounts': 'keys, people, plans, limits, the audit log',
      'features/webhooks': 'events and their delivery',
      'features/connections': 'how loads reach buckets of others, with sealed keys',
      'features/idempotency': 'claims and kept answers',
      'core/schema': 'migrations and the check of the database',
    },
  },
  {
    name: 'knowledge',
    rooms: {
      'core/sitemap': 'the format, without I/O',
      'core/config': 'all settings',
      'core/jobs': 'the queue',
      'core/web': 'parts that the HTTP edges share',
    },
  },
  {
    name: 'platform',
    rooms: {
      platform:
        'mechanisms that know nothing of sitemaps: `storage/`, `postgres/`, `http/`, `json/`, `lines/`, `parquet/`, `gzip/`, `dns/`, ' +
        '`acme/` (a client of certificate authorities), `x509/`, `process/`, `concurrency/` and small files',
    },
  },
];

interface Folder {
  readonly is: string;
  /** Patterns of all files that it may import beside its own. */
  readonly imports: readonly string[];
}

/** The folders with code beside `src/`, which imports none of them. docs/decisions/0050 says why they stand there. */
export const BESIDE: Readonly<Record<string, Folder>> = {
  workers: {
    is: 'the entries of threads',
    imports: ['src/features/{uploads,changes,find}/**', 'src/platform/process/**'],
  },
  kernels: {
    is: 'AssemblyScript; `npm run build:kernels` compiles it into the `kernel.wasm` of the rooms that run it',
    imports: ['src/**/kernel-layout.ts'],
  },
  pages: {
    is: 'the dashboard in browsers: `views/` at its addresses, of `parts/`; `build/` runs in Node',
    imports: [
      'client/src/**',
      ...[
        'src/edges/dashboard/wire.ts',
        'src/core/sitemap/file-names.ts',
        'src/core/sitemap/entry-fields.ts',
        'src/features/accounts/key-actions.ts',
        'src/features/webhooks/events.ts',
      ],
      ...['src/platform/process/*', 'tools/start-command.ts'],
    ],
  },
  client: {
    is: 'the client of customers, a package of its own (docs/decisions/0031)',
    imports: [],
  },
  tools: {
    is: 'the demo, and the parts that the demo, the benches and the tests share',
    imports: ['src/**'],
  },
  bench: {
    is: 'benches of speed and memory',
    imports: ['src/**', 'tools/**', 'test/hosting/filled-caches.ts'],
  },
  test: {
    is: 'a folder for each room of `src/`, and for the folders beside it',
    imports: ['**'],
  },
};

/** Rooms that see less than the floors below them: everything that they may import beside their own files. */
export const NARROW: Readonly<Record<string, readonly string[]>> = {
  // Violations and refusals share one definition of shown values and of lengths. The kernel deflates what it writes.
  'core/sitemap': [
    'platform/code-points.ts',
    'platform/shown-value.ts',
    'platform/gzip/gzip-member.ts',
    'platform/grow-memory.ts',
    'platform/kernel-layout.ts',
    'platform/time-zone.ts',
  ],
  'edges/hosting': [
    ...[
      'platform',
      'core/sitemap',
      'features/sites/site.ts',
      'features/sites/certificate.ts',
      'features/sites/host-directory.ts',
    ],
    ...['features/crawls/crawl-object.ts', 'features/crawls/crawler.ts'],
  ],
  'core/web': ['platform'],
  'features/idempotency': ['platform'],
  'features/doctor': ['platform', 'core/jobs', 'features/domains', 'features/sites', 'core/sitemap'],
};

/** The only rooms that may import a package. A package that is not here may be imported anywhere. */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  express: ['core/web', 'edges/api', 'edges/dashboard', 'edges/operator'],
  'openid-client': ['edges/dashboard'],
  'pg-copy-streams': ['platform'],
  pg: ['platform'],
  'node-pg-migrate': ['core/schema'],
  'graphile-worker': ['core/jobs'],
  piscina: ['features/uploads', 'workers'],
  minio: ['platform'],
  'parquet-wasm': ['platform'],
  'robots-parser': ['features/page-hosts'],
  jose: ['platform', 'edges/dashboard'],
  '@peculiar/x509': ['platform'],
  'reflect-metadata': ['platform'],
  'prom-client': ['operations'],
  commander: ['src', 'cli'],
  'cli-table3': ['cli'],
};

/** Packages that programs never load, directly or indirectly. */
export const UNREACHABLE: Readonly<Record<string, readonly string[]>> = {
  'src/hosting-server.ts': [
    'express',
    'pg',
    'graphile-worker',
    'piscina',
    'commander',
    'jose',
    'robots-parser',
    'openid-client',
    'pg-copy-streams',
    'parquet-wasm',
  ],
  'src/api-server.ts': ['graphile-worker', 'commander', 'robots-parser', 'parquet-wasm'],
  'src/job-runner.ts': ['express', 'piscina', 'commander', 'openid-client'],
  'workers/render-batch.ts': ['express', 'pg', 'graphile-worker', 'minio'],
  'workers/read-parquet.ts': ['express', 'pg', 'graphile-worker', 'minio', 'piscina'],
  'workers/compare-uploads.ts': ['express', 'pg', 'graphile-worker', 'minio', 'piscina', 'zod'],
  'workers/index-urls.ts': ['express', 'pg', 'graphile-worker', 'minio', 'piscina', 'zod'],
};

/** Folders of rooms. Nothing else stands directly in them. */
const WINGS = ['edges', 'features', 'core'];

/** The room of a file of src/, as in `features/uploads`; `src` for the programs themselves, undefined elsewhere. */
export function roomOf(file: string): string | undefined {
  const [top, first, second, third] = file.split('/');
  if (top !== 'src') return top === 'workers' ? 'workers' : undefined;
  if (second === undefined) return 'src';
  return WINGS.includes(first!) && third !== undefined ? `${first}/${second}` : first;
}
