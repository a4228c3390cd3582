/** Counts and times the operations of object storage. A `get` ends when the object is open, not when it is read. */
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { inSpan } from '../platform/trace/span.ts';
import { histogramOf, type Metrics, SHORT_BUCKETS } from './registry.ts';

/** Measures the calls of a storage. All storages of a process share the metric. */
export function observeStorage(storage: ObjectStorage, metrics: Metrics): ObjectStorage {
  const durations = histogramOf(metrics, 'waypost_object_store_operation_duration_seconds', {
    help: 'Duration of object storage operations, all attempts included; a get ends when the object is open',
    labelNames: ['operation', 'outcome'],
    buckets: SHORT_BUCKETS,
  });
  const timed = <Result>(operation: keyof ObjectStorage, work: () => Promise<Result>) =>
    inSpan(`store ${operation}`, {}, () => counted(operation, work), 'client');
  const counted = async <Result>(
    operation: keyof ObjectStorage,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const end = durations.startTimer({ operation });
    try {
      const result = await work();
      end({ outcome: result === undefined && isReading(operation) ? 'absent' : 'done' });
      return result;
    } catch (error) {
      end({ outcome: 'failed' });
      throw error;
    }
  };
  return {
    put: (key, parts) => timed('put', () => storage.put(key, parts)),
    putNew: (key, parts) => timed('putNew', () => storage.putNew(key, parts)),
    putIfUnchanged: (key, parts, former) =>
      timed('putIfUnchanged', () => storage.putIfUnchanged(key, parts, former)),
    get: (key, range) => timed('get', () => storage.get(key, range)),
    getIfChanged: (key, version) => timed('getIfChanged', () => storage.getIfChanged(key, version)),
    head: (key) => timed('head', () => storage.head(key)),
    deleteMany: (keys) => timed('deleteMany', () => storage.deleteMany(keys)),
    async *list(prefix) {
      const end = durations.startTimer({ operation: 'list' });
      let outcome = 'failed';
      try {
        yield* storage.list(prefix);
        outcome = 'done';
      } finally {
        end({ outcome });
      }
    },
  };
}

function isReading(operation: keyof ObjectStorage): boolean {
  return operation === 'get' || operation === 'getIfChanged' || operation === 'head';
}
