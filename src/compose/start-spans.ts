/** Sends the spans of the process to a collector, if the configuration names one. Otherwise this file loads no exporter. */
import type { Config } from '../core/config/config.ts';
import type { Log } from '../platform/log.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import { sendSpansTo } from '../platform/trace/span.ts';

/** Starts to send spans. `name`: the name of the process. The end of the scope sends the last spans. */
export async function startSpans(
  name: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers }: Config,
  log: Log,
  scope: AsyncDisposableStack,
): Promise<void> {
  if (endpoint === undefined) return;
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
