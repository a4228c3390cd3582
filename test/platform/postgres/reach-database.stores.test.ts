import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool } from '../../../src/platform/postgres/database.ts';
import { reachDatabase } from '../../../src/platform/postgres/reach-database.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { freePort } from '../../../tools/free-port.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { url } = await createTestDatabase();

/** Returns the failure for a changed URL. */
async function failureOf(change: (url: URL) => void): Promise<unknown> {
  const changed = new URL(url.reveal());
  change(changed);
  const database = createDatabasePool(new Secret(changed.href), 1, createLog('test', 'silent'));
  try {
    return await reachDatabase(database, 'Check DATABASE_URL.').catch((error) => error);
  } finally {
    await database.end();
  }
}

const closedPort = String(await freePort());

test.each<[string, (url: URL) => void, RegExp]>([
  [
    'a port without Postgres',
    (one) => {
      one.port = closedPort;
    },
    new RegExp(`127.0.0.1:${closedPort} .*ECONNREFUSED`),
  ],
  [
    'a host without an address',
    (one) => {
      one.hostname = 'nowhere.invalid';
    },
    /nowhere\.invalid:\d+ .*(ENOTFOUND|EAI_AGAIN)/,
  ],
  [
    'a wrong password',
    (one) => {
      one.password = 'wrong-secret';
    },
    /user waypost: password authentication failed/,
  ],
  [
    'an unknown database',
    (one) => {
      one.pathname = '/nowhere';
    },
    /database nowhere .*does not exist/,
  ],
  [
    'TLS that the server does not have',
    (one) => {
      one.searchParams.set('sslmode', 'verify-full');
    },
    /does not support SSL/,
  ],
])('%s is a ConfigError in one line, without the password', async (_, change, message) => {
  const failure = await failureOf(change);
  expect(failure).toBeInstanceOf(ConfigError);
  const said = (failure as Error).message;
  expect(said).toMatch(message);
  expect(said).toMatch(/^No connection to the database .*\. Check DATABASE_URL\.$/);
  expect(said).not.toContain('wrong-secret');
  expect(said).not.toContain(new URL(url.reveal()).password);
});

test('a database that answers is no failure', async () => {
  expect(await failureOf(() => {})).toBeUndefined();
});
