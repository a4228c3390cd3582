/** Opens the room for queries of the changes of an upload. `comparison-queues.ts` has the comparisons. */
import { inflateLines, readLineParts } from '../../platform/gzip/line-parts.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { verbsOn } from '../../platform/verb.ts';
import { changesKey } from '../sites/site.ts';
import { findChangesList, findSitemapChanges } from './comparison-store.ts';

export interface OpenChangesOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
}

export type Changes = ReturnType<typeof openChanges>;

export function openChanges({ database, storage }: OpenChangesOptions) {
  return {
    ...verbsOn(database, { find: findSitemapChanges }),
    /** Yields all changes as lines of JSON. `parts` is in the result of `find`. */
    async *list(uploadId: string, parts: number) {
      const list = await findChangesList(database, uploadId);
      if (list !== undefined) yield await inflateLines(list);
      yield* readLineParts(storage, (n) => changesKey(uploadId, n), parts);
    },
  };
}
