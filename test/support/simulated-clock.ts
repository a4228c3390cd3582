/** Gives a database a clock that a test sets: `now()` of all statements, in place of the clock of the machine. */
import type { Database } from '../../src/platform/postgres/database.ts';

export interface SimulatedClock {
  set(at: Date): Promise<void>;
}

/** Call it before the first statement that has a name. Defaults of columns keep the clock of the machine. */
export async function simulateClock(database: Database, at: Date): Promise<SimulatedClock> {
  await database.query(
    `CREATE SCHEMA clock;
     CREATE TABLE clock.face (at timestamptz NOT NULL);
     CREATE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT at FROM clock.face';`,
  );
  await database.query('INSERT INTO clock.face VALUES ($1)', [at]);
  // A schema before pg_catalog hides its functions of the same names.
  const path = 'SET search_path = clock, public, pg_catalog';
  database.on('connect', (client) => void client.query(path));
  const idle = await Promise.all(Array.from({ length: database.totalCount }, () => database.connect()));
  for (const client of idle) {
    await client.query(path);
    client.release();
  }
  return { set: async (to) => void (await database.query('UPDATE clock.face SET at = $1', [to])) };
}
