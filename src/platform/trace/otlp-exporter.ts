/**
 * Sends spans to a collector: OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Spans never delay
 * work: a span is dropped if the queue is full, or if the collector does not take the span.
 */
import { withinDeadline } from '../concurrency/deadline.ts';
import { repeat } from '../concurrency/repeat.ts';
import type { EndedSpan, SpanAttributes } from './span.ts';
import { withTrace } from './trace-context.ts';

export interface OtlpExporterOptions {
  /** The origin of the collector, for example http://collector:4318. Spans go to its path `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Reports lost spans. `spans`: their number. */
  readonly complain: (failure: { readonly err?: unknown; readonly spans: number }) => void;
}

const EVERY_MS = 2_000;
/** The most spans that wait. A span takes some 500 bytes. */
const MAX_QUEUED = 4_096;
/** The most spans of one request. */
const MAX_SENT = 512;
const TIMEOUT_MS = 10_000;
/** The longest time that a process waits at its end for the collector to take the last spans. */
const END_MS = 1_000;

export class OtlpExporter {
  readonly #options: OtlpExporterOptions;
  readonly #url: string;
  readonly #sending = repeat(() => this.#flush(), EVERY_MS);
  #queue: EndedSpan[] = [];
  #dropped = 0;
  readonly #over = new AbortController();
  #underWay: Promise<void> | undefined;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    this.#url = `${options.endpoint.replace(/\/$/, '')}/v1/traces`;
  }

  receive(span: EndedSpan): void {
    if (this.#queue.length >= MAX_QUEUED) this.#dropped++;
    else this.#queue.push(span);
    if (this.#queue.length === MAX_SENT) void withTrace(undefined, () => this.#flush());
  }

  /** Sends the remaining spans, if the collector takes them within END_MS. */
  async end(): Promise<void> {
    const sent = Promise.all([this.#sending.stop(), this.#flush()]);
    await withinDeadline(sent, END_MS).catch(() => {});
    this.#over.abort();
  }

  #flush(): Promise<void> {
    this.#underWay ??= this.#sendAll().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const spans = this.#queue.slice(0, MAX_SENT);
      this.#queue = this.#queue.slice(MAX_SENT);
      await this.#send(spans).catch((err) => this.#options.complain({ err, spans: spans.length }));
    }
    if (this.#dropped > 0) this.#options.complain({ spans: this.#dropped });
    this.#dropped = 0;
  }

  async #send(spans: readonly EndedSpan[]): Promise<void> {
    const { headers, serviceName } = this.#options;
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(exportRequest(serviceName, spans)),
      redirect: 'error',
      signal: AbortSignal.any([this.#over.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  }
}

/** Returns an `ExportTraceServiceRequest` of opentelemetry-proto. Ids are hexadecimal, 64-bit numbers are texts, and enums are numbers. */
function exportRequest(serviceName: string, spans: readonly EndedSpan[]) {
  const resource = { attributes: keyValues({ 'service.name': serviceName }) };
  return {
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'waypost' }, spans: spans.map(shownSpan) }] }],
  };
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const ERROR = 2;
/** The bit of the W3C trace flags that says that the trace is sampled. */
const SAMPLED = 1;

function shownSpan({ trace, name, kind, startedAt, endedAt, attributes, hasFailed }: EndedSpan) {
  const { traceId, spanId, parentSpanId, traceState } = trace;
  return {
    ...{ traceId, spanId, ...(parentSpanId !== undefined && { parentSpanId }), flags: SAMPLED },
    ...{ ...(traceState !== undefined && { traceState }), name, kind: KINDS[kind] },
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: keyValues(attributes),
    status: hasFailed ? { code: ERROR } : {},
  };
}

/** Rounds to microseconds: a float of milliseconds since 1970 has no digits below them. */
const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

function keyValues(attributes: SpanAttributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
