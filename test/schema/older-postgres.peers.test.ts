/** The oldest Postgres that we support. All other tests run on the embedded one, which is newer and has no just-in-time compiler. */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/core/schema/migrate.ts';
import { fillDatabase } from '../../tools/filled/fill-database.ts';
import { isHere, needs } from '../support/needs.ts';
import { startOlderPostgres } from '../support/older-postgres.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type KnownStatement, STATEMENTS, TEMPORARY } from './statement-shape.ts';

describe('an older Postgres', needs('an older Postgres'), async () => {
  if (!isHere('an older Postgres')) return;
  const server = await startOlderPostgres(await createTemporaryFolder());
  const database = createPatientPool(server.url, 2);
  afterAll(async () => {
    await database.end();
    await server.stop();
  });

  test('takes the migrations, and rows through their triggers', async () => {
    expect((await migrate(database)).length).toBeGreaterThan(70);
    await fillDatabase(server.url.reveal(), { domains: 40 });
  });

  test('takes each statement of src', async () => {
    const statements: readonly KnownStatement[] = JSON.parse(await readFile(STATEMENTS, 'utf8'));
    const client = await database.connect();
    const refused: string[] = [];
    let taken = 0;
    for (const { file, text } of statements) {
      if (TEMPORARY.test(text)) continue;
      await client.query(`PREPARE known AS ${text}`).then(
        () => client.query('DEALLOCATE known').then(() => taken++),
        (error) => {
          // PREPARE takes no statement that finds no rows and changes none, such as SET.
          if (
            !/^(BEGIN|COMMIT|ROLLBACK|SET|LOCK|CREATE|LISTEN|SAVEPOINT|RELEASE|VACUUM|ANALYZE)\b/.test(text)
          )
            refused.push(`${file}: ${error.message}: ${text.slice(0, 200)}`);
        },
      );
    }
    client.release();
    expect(refused).toEqual([]);
    expect(taken).toBeGreaterThan(500);
  });

  test('compiles no statement, whatever it takes the statement for', async () => {
    const { rows } = await database.query(`SELECT current_setting('jit') AS jit`);
    expect(rows).toEqual([{ jit: 'off' }]);
  });
});
