/**
 * Fills a migrated, empty database with domains and their history, so that statements, jobs and migrations can be measured as
 * for an operator with many long-standing customers. No row is due for a job: a measurement makes the rows due that it needs.
 *
 * | tables | rows for N domains |
 * |---|---|
 * | accounts, each with a key, an owner, a session, a webhook, a connection and a row of told_accounts | N/20 |
 * | domains: 97 % active, 1.5 % verified, 1 % pending, 0.5 % failed | N |
 * | sitemaps (one of each served domain), page_hosts, page_url_counts | N |
 * | schedules, schedule_runs | N |
 * | uploads, sitemap_files, small_files: `generations` of each sitemap | 10 N |
 * | garbage: the replaced generations, as the code lists them | 9 N |
 * | attempts | 5 N |
 * | comparisons, audit_events | 2 N |
 * | certificates of about 3 kB | 0.97 N |
 * | webhook_events, webhook_deliveries (all delivered), crawls, file_visits | 1 N, 1 N, 3 N, 3 N |
 * | upload_sessions (all committed), url_indexes, recent_sitemaps, crawl_imports, file_errors | N |
 * | upload_days, loads (all ended) | 0.9 N, 0.5 N |
 * | indexnow_hosts, held_uploads, refused_uploads, incidents | 0.1 N |
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';

export interface FillOptions {
  /** The number of domains, at least 20. */
  readonly domains: number;
  /** The number of generations of each sitemap, 1 to 99. */
  readonly generations?: number;
  /** The size of the small files of each generation. */
  readonly smallFileBytes?: number;
  readonly say?: (step: string) => void;
}

/** From this number of domains on, we drop indexes and constraints before the inserts, and create them again at the end. */
const MANY = 5_000;
/** A first trial with this number of domains checks the rows against the schema. */
const TRIED = 40;

/** Fills the database. Throws if the schema requires a column for which `rows.sql` has no value. Then nothing has changed. */
export async function fillDatabase(
  url: string,
  { domains, generations = 10, smallFileBytes = 400, say = () => {} }: FillOptions,
): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  const parts = await readParts({ generations, small_file_bytes: smallFileBytes, certificates: 100, second });
  await using connections = new AsyncDisposableStack();
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    connections.defer(() => client.end());
    return client;
  };
  const [one, two] = [await connect(), await connect()];
  const all = (count: number) => ['first', 'left', 'right'].map((name) => parts(name, count)).join('\n');
  await one.query(`BEGIN; ${parts('always', TRIED)} ${all(TRIED)}`);
  if (domains <= TRIED) return void (await one.query('COMMIT'));
  await one.query('ROLLBACK');
  say('the rows fit the schema');

  for (const client of [one, two]) await client.query(parts('always', domains));
  if (domains < MANY) {
    await one.query(all(domains));
    await one.query('ANALYZE');
    return;
  }
  const definitions = await dropDefinitions(one);
  await one.query(parts('first', domains));
  await Promise.all([one.query(parts('left', domains)), two.query(parts('right', domains))]);
  say('rows');
  await makeAgain([one, two], definitions);
  say('indexes and keys');
  await one.query('VACUUM (ANALYZE)');
  say('statistics');
}

async function readParts(numbers: Readonly<Record<string, number>>) {
  const text = await readFile(new URL('./rows.sql', import.meta.url), 'utf8');
  const parts = new Map(
    text.split(/^-- PART /m).map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end)] as const;
    }),
  );
  return (name: string, domains: number): string => {
    const all: Readonly<Record<string, number>> = {
      ...numbers,
      domains,
      accounts: Math.ceil(domains / 20),
    };
    return parts.get(name)!.replace(/(?<!:):([a-z_]+)\b/g, (_, variable: string) => String(all[variable]));
  };
}

/** The definition of an index or a constraint. */
interface Definition {
  readonly table: string;
  readonly isForeignKey: boolean;
  readonly make: string;
  readonly drop: string;
}

async function dropDefinitions(client: pg.Client): Promise<readonly Definition[]> {
  const { rows } = await client.query<Definition>(`
    WITH ours AS (
      SELECT oid, relname FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
    )
    SELECT relname AS table, contype = 'f' AS "isForeignKey",
           format('ALTER TABLE %I DROP CONSTRAINT %I', relname, conname) AS drop,
           format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(k.oid)) AS make
      FROM ours o JOIN pg_constraint k ON conrelid = o.oid WHERE contype IN ('f', 'p', 'u')
    UNION ALL
    SELECT o.relname, false, format('DROP INDEX %I', i.relname), pg_get_indexdef(i.oid)
      FROM ours o JOIN pg_index x ON x.indrelid = o.oid JOIN pg_class i ON i.oid = x.indexrelid
     WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid AND contype IN ('p', 'u'))
     ORDER BY 2 DESC`);
  await client.query(['BEGIN', ...rows.map(({ drop }) => drop), 'COMMIT'].join(';\n'));
  return rows;
}

/** Creates the definitions of a table on one connection, because each locks the table. Foreign keys come last: they need keys. */
async function makeAgain(clients: readonly pg.Client[], definitions: readonly Definition[]): Promise<void> {
  const indexes = Map.groupBy(
    definitions.filter(({ isForeignKey }) => !isForeignKey),
    ({ table }) => table,
  );
  const waiting = [...indexes.values()];
  const work = async (client: pg.Client) => {
    await client.query(`SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0`);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const { make } of next) await client.query(make);
    }
  };
  await Promise.all(clients.map(work));
  for (const { make } of definitions.filter(({ isForeignKey }) => isForeignKey))
    await clients[0]!.query(make);
}
