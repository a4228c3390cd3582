/** Opens the room for queries of changes, and for comparisons on request. `comparison-queues.ts` compares published uploads. */
import { Turns } from '../../platform/concurrency/turns.ts';
import { inflateLines, readLineParts } from '../../platform/gzip/line-parts.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { verbsOn } from '../../platform/verb.ts';
import { changesKey } from '../sites/site.ts';
import { compareGenerations } from './compare-generations.ts';
import { compareHeldUpload } from './compare-held-upload.ts';
import { findChangesList, findSitemapChanges } from './comparison-store.ts';
import { ComparisonThread } from './comparison-thread.ts';

interface OpenChangesOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  /** The disposal of the scope ends the thread. */
  readonly scope: AsyncDisposableStack;
}

export type Changes = ReturnType<typeof openChanges>;

export function openChanges({ database, storage, scope }: OpenChangesOptions) {
  const comparing = { thread: scope.use(new ComparisonThread({ isAwaited: true })), turns: new Turns(1) };
  return {
    ...verbsOn(database, { find: findSitemapChanges }),
    ...verbsOn(
      { database, storage, newId, ...comparing },
      { compare: compareGenerations, compareHeld: compareHeldUpload },
    ),
    /** Yields all changes as lines of JSON. The results of the other verbs have `parts`. */
    async *list(uploadId: string, parts: number) {
      const list = await findChangesList(database, uploadId);
      if (list !== undefined) yield await inflateLines(list);
      yield* readLineParts(storage, (n) => changesKey(uploadId, n), parts);
    },
  };
}
