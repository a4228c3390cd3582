/** Pools for tests. */
import { createDatabasePool, type Database } from '../../src/platform/postgres/database.ts';
import type { Secret } from '../../src/platform/secret.ts';
import { collectLog } from './collect-log.ts';

/** A busy machine is slow, not down. The deadline of ordinary statements has tests of its own. */
export function createPatientPool(url: Secret, connections: number, log = collectLog()): Database {
  return createDatabasePool(url, connections, log, 60_000);
}
