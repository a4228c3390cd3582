/** Opens the parts that every process needs first. The scope of the process closes them last. */
import type { Config } from '../core/config/config.ts';
import { observeStorage } from '../operations/observe-storage.ts';
import { createMetrics, type Metrics } from '../operations/registry.ts';
import { createLog, type Log } from '../platform/log.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { sendSpansTo } from '../platform/trace/span.ts';

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

/** Sends the spans of the process to a collector, if the configuration names one. The end of the scope sends the last spans. */
async function startSpans(
  name: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers }: Config,
  log: Log,
  scope: AsyncDisposableStack,
): Promise<void> {
  if (endpoint === undefined) return;
  // Only a process that sends spans loads the exporter.
  const { OtlpExporter } = await import('../platform/trace/otlp-exporter.ts');
  const complain = sayRarely<object>((failure, { unsaid }) =>
    log.warn({ ...failure, unsaid }, 'spans are lost: the collector does not take them'),
  );
  const exporter = new OtlpExporter({
    ...{ endpoint, complain, serviceName: `waypost-${name}` },
    headers: Object.fromEntries(headers?.reveal().split(',').map(parseHeader) ?? []),
  });
  sendSpansTo((span) => exporter.receive(span));
  scope.defer(async () => {
    sendSpansTo(undefined);
    await exporter.end();
  });
}

/** Parses a header field, as in `authorization=Bearer%20abc`. The value is percent-encoded. The setting has checked it. */
function parseHeader(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
}
