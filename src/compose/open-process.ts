/** Opens the parts that every process needs first. The scope of the process closes them last. */
import type { Config } from '../core/config/config.ts';
import { observeStorage } from '../operations/observe-storage.ts';
import { createMetrics, type Metrics } from '../operations/registry.ts';
import { createLog, type Log } from '../platform/log.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { startSpans } from './start-spans.ts';

/** The options that all parts of a process share. */
export interface ProcessOptions {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly scope: AsyncDisposableStack;
  readonly storage: ObjectStorage;
}

/** Opens a process. `name`: the name of the process in the log. `openStorage`: opens the storage, without metrics. */
export async function openProcess<Configuration extends Config>(
  name: string,
  config: Configuration,
  scope: AsyncDisposableStack,
  openStorage: (config: Config, scope: AsyncDisposableStack) => Promise<ObjectStorage>,
) {
  const metrics = createMetrics();
  const log = createLog(name, config.LOG_LEVEL);
  await startSpans(name, config, log, scope);
  const storage = observeStorage(await openStorage(config, scope), metrics);
  return { config, log, metrics, scope, storage };
}
