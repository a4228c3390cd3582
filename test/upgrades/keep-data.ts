/**
 * Keeps the data of a version, for the test of upgrades: `npm run test:keep -- COMMIT`. Run it at a release, and
 * at a commit that changes what is stored.
 *
 * It runs the all in one of that commit in a folder of its own, uses what it has, and writes
 * `test/upgrades/kept/<schema>-<commit>.tar.gz`:
 *
 * ```
 * tables/<schema>.<table>    the rows, as COPY writes them
 * kept.json                  which columns and sequences they are of, and the last migration
 * data/                      the rest of DATA_DIR: objects, secrets, demo.json
 * ```
 */
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { startCommand } from '../../tools/start-command.ts';
import { checkOut } from './check-out.ts';
import { copyOf, type KeptTables, tableFile } from './kept-data.ts';

const PROJECT = resolve(import.meta.dirname, '../..');

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Usage: npm run test:keep -- COMMIT');
await keepData(commit);

async function keepData(of: string): Promise<void> {
  await using version = await checkOut(of);
  const { name, tree, folder } = version;
  const [dataDir, kept] = [join(folder, 'data-dir'), join(folder, 'kept')];
  const migration = await runIn(tree, dataDir, async () => {
    await use(JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')));
    return keepTables(await readFile(join(dataDir, 'postgres/url'), 'utf8'), kept);
  });
  const postgres = join(dataDir, 'postgres');
  await cp(dataDir, join(kept, 'data'), { recursive: true, filter: (path) => !path.startsWith(postgres) });
  const archive = join(PROJECT, 'test/upgrades/kept', `${migration.slice(0, 4)}-${name}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', kept, '.']);
}

async function runIn<Result>(tree: string, dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const ports = { API_PORT: '0', HOSTING_PORT: '0', HOSTING_TLS_PORT: '0' };
  const started = startCommand([process.execPath, 'src/all-in-one.ts'], {
    cwd: tree,
    // Nobody answers there, so no host of the data is asked.
    environment: { ...process.env, DATA_DIR: dataDir, DNS_SERVERS: '127.0.0.1:9', ...ports },
    showsErrors: true,
  });
  try {
    await started.says('Waypost is running');
    return await work();
  } finally {
    await started.stop();
  }
}

/** Sites of some kinds, and what the version has beside them: it answers 404 for what it has not. */
async function use({ apiUrl, apiKey }: { readonly apiUrl: string; readonly apiKey: string }): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { readonly data: { readonly id: string } };
  };
  const upload = (domain: string, sitemapName: string | undefined, count: number, version = 1) => {
    const urls = Array.from({ length: count }, (_, n) => ({
      loc: `https://www.example.com/${version}/${n}`,
      lastmod: '2026-01-15',
    }));
    const body = { domain, urls, sizeLimit: 'gsc-optimized', ...(sitemapName && { sitemapName }) };
    return call('POST', '/api/sitemap/generate', body);
  };
  const hostnames = ['shop.localhost', 'waits.localhost', 'gone.localhost'];
  const domains = [];
  for (const hostname of hostnames) domains.push((await call('POST', '/api/domains', { hostname })).data.id);
  const [shop, , gone] = domains;
  for (const id of [shop, gone]) await call('POST', `/api/domains/${id}/verify`);
  await call('PATCH', `/api/domains/${shop}`, { indexNow: { enabled: true } });
  await call('PATCH', `/api/domains/${shop}`, { guard: { maxRemovedPercent: 50 } });
  await call('POST', '/api/webhooks', { url: 'https://hooks.example.com/', events: ['upload.published'] });
  for (const version of [1, 2, 3]) await upload('shop.localhost', undefined, 1500 + version, version);
  await call('POST', `/api/domains/${shop}/sitemaps/default/rollback`, { generation: 2 });
  for (const name of ['news', 'old']) await upload('shop.localhost', name, 3);
  await upload('shop.localhost', 'pairs', 1200);
  // The guard of a version that has one holds it.
  await upload('shop.localhost', 'pairs', 3);
  await call('DELETE', `/api/domains/${shop}/sitemaps/old`);
  await upload('waits.localhost', undefined, 5);
  await upload('gone.localhost', undefined, 5);
  await call('DELETE', `/api/domains/${gone}`);
}

/** Returns the name of the last migration. */
async function keepTables(url: string, folder: string): Promise<string> {
  await mkdir(join(folder, 'tables'), { recursive: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<KeptTables['tables'][number]>(`
      SELECT table_schema || '.' || table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema IN ('public', 'graphile_worker') AND table_name <> 'migrations' AND is_generated = 'NEVER'
             AND table_type = 'BASE TABLE'
       GROUP BY table_schema, table_name ORDER BY 1`);
    const sequences = await client.query<KeptTables['sequences'][number]>(`
      SELECT schemaname || '.' || sequencename AS name, last_value::int AS last
        FROM pg_sequences WHERE schemaname IN ('public', 'graphile_worker') AND last_value IS NOT NULL`);
    const { rows } = await client.query('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
    for (const table of tables.rows) {
      const copy = client.query(copyTo(`COPY ${copyOf(table)} TO STDOUT`));
      await pipeline(copy, createWriteStream(tableFile(folder, table)));
    }
    const kept: KeptTables = { migration: rows[0].name, tables: tables.rows, sequences: sequences.rows };
    await writeFile(join(folder, 'kept.json'), JSON.stringify(kept));
    return kept.migration;
  } finally {
    await client.end();
  }
}
