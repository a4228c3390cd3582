/** Reads the objects of a load in their order, a few at a time. */
import { pagesOf } from '../../../platform/pages-of.ts';
import type { LoadWork } from './load-work.ts';
import { type ListedObject, listWaiting } from './object-store.ts';
import { type ReadObjectOptions, readObject } from './read-object.ts';

/** The objects of a load that are read at once. Each takes a connection, and the memory of an upload. */
const AT_ONCE = 4;
const PAGE = 100;

/** Reads all objects of a load. After the first failure, begins no other object, aborts the objects under way, and throws the failure. */
export async function readAllObjects(
  options: ReadObjectOptions,
  work: LoadWork,
  signal: AbortSignal,
): Promise<void> {
  const failing = new AbortController();
  const reading = AbortSignal.any([signal, failing.signal]);
  let failure: { readonly error: unknown } | undefined;
  const readOn = async (objects: AsyncIterator<ListedObject>) => {
    try {
      for (let next = await objects.next(); !next.done; next = await objects.next()) {
        reading.throwIfAborted();
        await readObject(options, work, next.value, reading);
      }
    } catch (error) {
      failure ??= { error };
      failing.abort();
    }
  };
  // An object that proves to be an index adds its children late, so look for waiting objects again.
  while ((await listWaiting(options.database, work.load.id, -1, 1)).length > 0) {
    const objects = waitingObjects(options, work);
    await Promise.all(Array.from({ length: AT_ONCE }, () => readOn(objects)));
    if (failure !== undefined) throw failure.error;
  }
}

async function* waitingObjects(
  { database }: ReadObjectOptions,
  { load }: LoadWork,
): AsyncGenerator<ListedObject, void, undefined> {
  const pages = pagesOf<ListedObject>(
    (limit, last) => listWaiting(database, load.id, last?.n ?? -1, limit),
    PAGE,
  );
  for await (const page of pages) yield* page;
}
