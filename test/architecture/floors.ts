/**
 * The house: which room may import which. A room imports from itself and from the floors below its own, and never from
 * another room on its floor.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['platform'],
  // The format · settings · the queue · the shared parts of the edges.
  ['sitemap', 'config', 'jobs', 'web'],
  ['accounts', 'schema', 'webhooks', 'idempotency'],
  ['domains'],
  ['sites'],
  ['uploads', 'certificates', 'doctor', 'changes', 'submission', 'page-hosts', 'crawls'],
  // The edges.
  ['api', 'dashboard', 'hosting'],
  ['operations'],
  ['compose'],
  ['demo'],
  ['cli'],
  // The programs.
  ['src'],
];

/** Rooms that see less than the floors below them: everything that they may import beside their own files. */
export const NARROW: Readonly<Record<string, readonly string[]>> = {
  // Violations and refusals share one definition of shown values and of lengths. The kernel deflates what it writes.
  sitemap: [
    'platform/code-points.ts',
    'platform/shown-value.ts',
    'platform/gzip/gzip-member.ts',
    'platform/grow-memory.ts',
  ],
  hosting: [
    ...['platform', 'sitemap', 'sites/site.ts', 'sites/certificate.ts', 'sites/host-directory.ts'],
    ...['crawls/crawl-object.ts', 'crawls/crawler.ts'],
  ],
  web: ['platform'],
  idempotency: ['platform'],
  doctor: ['platform', 'jobs', 'domains', 'sites', 'sitemap'],
};

/** The only rooms that may import a package. A package that is not here may be imported anywhere. */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  express: ['web', 'api', 'dashboard'],
  'openid-client': ['dashboard'],
  'pg-copy-streams': ['platform'],
  pg: ['platform'],
  'node-pg-migrate': ['schema'],
  'graphile-worker': ['jobs'],
  piscina: ['uploads', 'workers'],
  minio: ['platform'],
  'robots-parser': ['page-hosts'],
  jose: ['platform', 'dashboard'],
  '@peculiar/x509': ['platform'],
  'reflect-metadata': ['platform'],
  'prom-client': ['operations'],
  commander: ['src', 'cli'],
  'cli-table3': ['cli', 'src'],
  'cli-progress': ['demo'],
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
  ],
  'src/api-server.ts': ['graphile-worker', 'commander', 'robots-parser'],
  'src/job-runner.ts': ['express', 'piscina', 'commander', 'openid-client'],
  'workers/render-batch.ts': ['express', 'pg', 'graphile-worker', 'minio'],
  'workers/compare-uploads.ts': ['express', 'pg', 'graphile-worker', 'minio', 'piscina', 'zod'],
};

/** The room of a file of src/; `src` for the programs themselves, undefined elsewhere. */
export function roomOf(file: string): string | undefined {
  const [top, room, rest] = file.split('/');
  if (top !== 'src') return top === 'workers' ? 'workers' : undefined;
  return rest === undefined ? 'src' : room;
}
