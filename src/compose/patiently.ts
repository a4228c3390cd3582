/** Gives the doctor a pool of its own while it works, because its statements read whole tables and have no time limit. */
import type { ExaminationOptions } from '../features/doctor/examine-listings.ts';
import { createDatabasePool } from '../platform/postgres/database.ts';
import { Secret } from '../platform/secret.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

const CONNECTIONS = 4;
const NO_TIMEOUT = 0;

export function createPatiently(options: DatabaseProcessOptions) {
  const { database, log } = options;
  return async <Result>(work: (options: ExaminationOptions) => Promise<Result>): Promise<Result> => {
    const url = new Secret(String(database.options.connectionString));
    const own = createDatabasePool(url, CONNECTIONS, log, NO_TIMEOUT);
    try {
      return await work({ ...options, database: own });
    } finally {
      await own.end();
    }
  };
}
