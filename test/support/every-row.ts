/** All rows of a database, for tests of requests that must change nothing. */
import { hash } from 'node:crypto';
import type { Queryable } from '../../src/platform/postgres/database.ts';

interface Except {
  readonly tables: readonly string[];
  readonly columns?: readonly string[];
}

/** Returns the rows, each as the name of its table and its JSON. Sorted. */
export async function everyRow(database: Queryable, { tables, columns = [] }: Except): Promise<string[]> {
  const { rows: names } = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL($1)",
    [tables],
  );
  const selects = names.map(
    ({ name }) => `SELECT '${name} ' || (to_jsonb(t) - $1::text[])::text AS row FROM ${name} t`,
  );
  const text = selects.join(' UNION ALL ');
  // Tests call this hundreds of times. With a name, Postgres plans it a few times only: planning takes nine tenths of its time.
  const name = hash('sha256', text).slice(0, 32);
  const { rows } = await database.query<{ row: string }>({ name, text, values: [columns] });
  return rows.map(({ row }) => row).sort();
}
