/**
 * Fills a database of an older schema from a filled database of the newest schema (fill-database.ts). Tables and columns that both have are
 * copied. If the older schema requires a column that the newest one lacks, the column gets simple values.
 */
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether an insert must give a value. */
  readonly isRequired: boolean;
}

/** Simple values by type, for columns that only the older schema has. */
const VALUES: Readonly<Record<string, string>> = {
  text: 'md5(random()::text)',
  integer: '0',
  bigint: '0',
  boolean: 'false',
  'timestamp with time zone': 'now()',
  date: 'current_date',
  json: "'{}'",
  jsonb: "'{}'",
  bytea: "''",
};

/**
 * Fills the older database with the rows of the newest one. The users of both URLs must be superusers. The older database has its schema,
 * and none of the rows yet. `isWanted`: fills only some of its tables.
 */
export async function fillOlder(
  newestUrl: string,
  olderUrl: string,
  isWanted = (_table: string) => true,
): Promise<void> {
  await using connections = new AsyncDisposableStack();
  const connect = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    connections.defer(() => client.end());
    return client;
  };
  const [newest, older] = [await connect(newestUrl), await connect(olderUrl)];
  const present = Map.groupBy(await columnsOf(newest), ({ table }) => table);
  // Tables come in any order, so their references are not checked, and no trigger runs: triggers have done their work in the newest schema.
  await older.query("SET session_replication_role = 'replica'");
  for (const [table, columns] of Map.groupBy(await columnsOf(older), ({ table }) => table)) {
    const names = new Set(present.get(table)?.map(({ column }) => column));
    const taken = columns.filter(({ column, isRequired }) => names.has(column) || isRequired);
    if (!isWanted(table) || names.size === 0 || taken.length === 0) continue;
    const wanted = taken.map(({ column, type }) => (names.has(column) ? `"${column}"` : VALUES[type]!));
    const list = taken.map(({ column }) => `"${column}"`).join(', ');
    // Migrations have put some rows into small tables.
    await older.query(`DELETE FROM "${table}"`);
    await pipeline(
      newest.query(copyTo(`COPY (SELECT ${wanted.join(', ')} FROM "${table}") TO STDOUT`)),
      older.query(copyFrom(`COPY "${table}" (${list}) FROM STDIN`)),
    ).catch((cause: Error) => {
      throw new Error(`the rows of ${table} do not fit: ${cause.message}`, { cause });
    });
  }
  await older.query('ANALYZE');
}

async function columnsOf(client: pg.Client): Promise<readonly Column[]> {
  const { rows } = await client.query<Column>(`
    SELECT table_name AS table, column_name AS column, data_type AS type,
           is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AS "isRequired"
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
           AND table_name NOT IN ('migrations', 'backfills')
     ORDER BY table_name, ordinal_position`);
  return rows;
}
