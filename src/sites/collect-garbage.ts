/** Deletes from object storage what nothing refers to any more. */
import { type Database, inTransaction } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { ObjectStorage } from '../platform/object-storage.ts';
import { forgetGarbage, takeDueGarbage } from './garbage-store.ts';

/** S3's limit for one request that deletes many. */
const DELETE_BATCH = 1000;

export interface GarbageParts {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'list' | 'deleteMany'>;
  readonly log: Log;
}

/** Works until nothing is due; any number of processes may do so at once. */
export async function collectGarbage({ database, storage, log }: GarbageParts): Promise<void> {
  let collected = 0;
  for (;;) {
    const prefix = await inTransaction(database, async (transaction) => {
      const due = await takeDueGarbage(transaction);
      if (due === undefined) return undefined;
      // The rows first: should the upload be live after all, this fails before anything is deleted.
      await forgetGarbage(transaction, due);
      await deletePrefix(storage, due);
      return due;
    });
    if (prefix === undefined) break;
    collected++;
  }
  if (collected > 0) log.info({ collected }, 'garbage collected');
}

async function deletePrefix(storage: GarbageParts['storage'], prefix: string): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of storage.list(prefix)) {
    keys.push(key);
    if (keys.length === DELETE_BATCH) {
      await storage.deleteMany(keys);
      keys = [];
    }
  }
  if (keys.length > 0) await storage.deleteMany(keys);
}
