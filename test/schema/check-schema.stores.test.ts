import { expect, test } from 'vitest';
import { createDatabaseCheck } from '../../src/core/schema/check-schema.ts';
import { migrate } from '../../src/core/schema/migrate.ts';
import { createDatabasePool } from '../../src/platform/postgres/database.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const migrated = await createTestDatabase();
const empty = await createTestDatabase('template1');

test('a database that takes no changes is refused with the cause, and accepted when it does again', async () => {
  const { rows } = await migrated.database.query('SELECT current_database() AS name');
  const set = (value: string) =>
    migrated.database.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = ${value}`);
  const check = async () => {
    const database = createDatabasePool(migrated.url, 2, collectLog());
    await createDatabaseCheck(database)().finally(() => database.end());
  };
  await set('on');
  await expect(check()).rejects.toThrow(ConfigError);
  await expect(check()).rejects.toThrow('The database takes no changes');
  await set('off');
  await check();
});

test('a database without the schema is refused with the cure, and accepted after migrate', async () => {
  const check = createDatabaseCheck(empty.database);
  await expect(check()).rejects.toThrow(/^The database has no schema, .* Run npm run migrate\.$/);
  await expect(check()).rejects.toThrow(ConfigError);
  await migrate(empty.database);
  await check();
});

test('an older schema is named, a newer one is accepted, and the check repeats until the schema is there', async () => {
  const { database } = migrated;
  const check = createDatabaseCheck(database);
  const { rows } = await database.query('SELECT name FROM migrations ORDER BY id DESC LIMIT 2');
  const [newest, older] = rows.map(({ name }) => name);
  await database.query('DELETE FROM migrations WHERE name = $1', [newest]);
  await expect(check()).rejects.toThrow(
    `The database is at schema ${older}, and this version needs ${newest}. Run npm run migrate.`,
  );
  const add = (name: string) =>
    database.query('INSERT INTO migrations (name, run_on) VALUES ($1, now())', [name]);
  await add(newest);
  await add('9999_of_a_later_version');
  await check();
  await database.query('DELETE FROM migrations');
  await check();
});

test('an unreachable database is a different error', async () => {
  const database = createDatabasePool(migrated.url, 1, collectLog());
  const check = createDatabaseCheck(database);
  await database.end();
  await expect(check()).rejects.not.toThrow(ConfigError);
});
