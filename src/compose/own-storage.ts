/** The object storage of a process with a database. Until it has proven to be that of the database, each operation checks that first. */
import { checkStorageMark } from '../core/schema/storage-mark.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
export interface OwnStorage {
  readonly storage: ObjectStorage;
  /** Throws ConfigError if the store is not that of the database, and other errors if either cannot be reached. */
  readonly check: () => Promise<void>;
}

/** How long a failed check stands for those that follow, in ms. */
const FAILED_FOR_MS = 1000;

/** `make`: makes the folder of a new store. */
export function ownStorage(
  storage: ObjectStorage,
  database: Database,
  make: () => Promise<void>,
): OwnStorage {
  const checked = recentResult(() => checkStorageMark(database, storage, make), { forMs: FAILED_FOR_MS });
  let isOwn = false;
  const check = async () => {
    if (isOwn) return;
    await checked();
    isOwn = true;
  };
  const own = async (): Promise<ObjectStorage> => {
    await check();
    return storage;
  };
  return {
    check,
    storage: {
      put: async (key, parts) => (await own()).put(key, parts),
      putNew: async (key, parts) => (await own()).putNew(key, parts),
      putIfUnchanged: async (key, parts, former) => (await own()).putIfUnchanged(key, parts, former),
      get: async (key, range) => (await own()).get(key, range),
      getIfChanged: async (key, version) => (await own()).getIfChanged(key, version),
      head: async (key) => (await own()).head(key),
      deleteMany: async (keys) => (await own()).deleteMany(keys),
      async *list(prefix) {
        yield* (await own()).list(prefix);
      },
    },
  };
}

/** Logs a store that is not that of the database, even if no request comes. A process that cannot reach either logs that when it uses it. */
export async function reportForeign(check: OwnStorage['check'], log: Log): Promise<void> {
  await check().catch((err) => {
    if (err instanceof ConfigError) log.error({ err }, 'not ready');
  });
}
