/** Makes connection pools for tests. */
import { createDatabasePool, type Database } from '../../src/platform/postgres/database.ts';
import type { Secret } from '../../src/platform/secret.ts';
import { collectLog } from './collect-log.ts';

/** Allows a minute for a statement, because a busy machine is slow. Other tests check the ordinary deadline. */
export function createPatientPool(url: Secret, connections: number, log = collectLog()): Database {
  return createDatabasePool(url, connections, log, 60_000);
}
