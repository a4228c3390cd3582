/** Spans as a collector gets them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../src/platform/refusal.ts';
import { OtlpExporter } from '../../../src/platform/trace/otlp-exporter.ts';
import { type EndedSpan, inSpan, sendSpansTo } from '../../../src/platform/trace/span.ts';
import { beginTrace, withTrace } from '../../../src/platform/trace/trace-context.ts';
import { startCollector } from '../../support/start-collector.ts';

const lost: { spans: number }[] = [];
const exporterTo = (endpoint: string) =>
  new OtlpExporter({
    ...{ endpoint, headers: { 'x-token': 'abc' }, serviceName: 'waypost-api' },
    complain: (failure) => void lost.push(failure),
  });
afterEach(() => {
  sendSpansTo(undefined);
  lost.length = 0;
});

test('spans arrive with their parents, their times and their faults', async () => {
  await using collector = await startCollector();
  const exporter = exporterTo(`${collector.endpoint}/`);
  sendSpansTo((span) => exporter.receive(span));
  const trace = beginTrace(undefined, true);
  await withTrace(trace, () =>
    inSpan('upload', { urls: 3, share: 0.5, isSmall: true, absent: undefined }, async () => {
      await inSpan('store put', {}, async () => {}, 'client');
      await inSpan('publish', { kind: 'upload' }, async () => {
        throw new Error('down');
      }).catch(() => {});
      await inSpan('refused', {}, async () => {
        throw new Refusal('CONFLICT', 'no');
      }).catch(() => {});
    }),
  );
  await exporter.end();
  const [sent, ...more] = collector.requests;
  expect(more).toEqual([]);
  expect(sent!.path).toBe('/v1/traces');
  expect(sent!.headers).toMatchObject({ 'content-type': 'application/json', 'x-token': 'abc' });
  const { resource } = sent!.body.resourceSpans[0]!;
  expect(resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'waypost-api' } }]);
  const spans = new Map(collector.spans().map((span) => [span.name, span]));
  const upload = spans.get('upload')!;
  expect(upload).toMatchObject({ traceId: trace.traceId, parentSpanId: trace.spanId, kind: 1, status: {} });
  expect(upload.attributes).toEqual([
    { key: 'urls', value: { intValue: '3' } },
    { key: 'share', value: { doubleValue: 0.5 } },
    { key: 'isSmall', value: { boolValue: true } },
  ]);
  for (const [name, kind, status] of [
    ['store put', 3, {}],
    ['publish', 1, { code: 2 }],
    ['refused', 1, {}],
  ] as const) {
    const span = spans.get(name)!;
    expect(span).toMatchObject({ traceId: trace.traceId, parentSpanId: upload.spanId, kind, status });
    const [begun, ended] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
    expect(begun >= BigInt(upload.startTimeUnixNano) && ended >= begun).toBe(true);
    expect(ended <= BigInt(upload.endTimeUnixNano)).toBe(true);
    // In nanoseconds since 1970.
    expect(Math.abs(Number(begun / 1_000_000n) - Date.now())).toBeLessThan(3_600_000);
  }
});

test("any span is what OpenTelemetry's own exporter makes of it", async () => {
  await using collector = await startCollector();
  const hex = (digits: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
  // Their exporter writes whole numbers above 2^53 as integers.
  const fraction = fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((x) => !Number.isInteger(x));
  const value = fc.oneof(fc.string(), fc.boolean(), fc.maxSafeInteger(), fraction);
  const anySpan = fc.record({
    trace: fc.record({
      traceId: hex(32),
      spanId: hex(16),
      parentSpanId: fc.option(hex(16), { nil: undefined }),
      isSampled: fc.constant(true),
      traceState: fc.option(fc.constant('foo=1,bar=2'), { nil: undefined }),
    }),
    name: fc.string({ minLength: 1 }),
    kind: fc.constantFrom('internal', 'server', 'client'),
    // Nanoseconds beyond a double are rounded by each in its own way.
    startedAt: fc.oneof(fc.constant(0), fc.nat(2 ** 31 - 1)).map((seconds) => seconds * 1000),
    endedAt: fc.nat(2 ** 31 - 1).map((seconds) => (2 ** 31 + seconds) * 1000),
    attributes: fc.dictionary(fc.string({ minLength: 1 }), value),
    hasFailed: fc.boolean(),
  });
  const spans = fc.sample(anySpan as fc.Arbitrary<EndedSpan>, 200);
  const exporter = exporterTo(collector.endpoint);
  for (const span of spans) exporter.receive(span);
  await exporter.end();
  const theirs = JsonTraceSerializer.serializeRequest(spans.map(asReadableSpan))!;
  expect(collector.requests[0]!.body).toEqual(JSON.parse(new TextDecoder().decode(theirs), withoutDefaults));
});

test('without a receiver, without a trace or unsampled, there is no span', async () => {
  await using collector = await startCollector();
  const exporter = exporterTo(collector.endpoint);
  const work = () => inSpan('work', {}, async () => 1);
  expect(await withTrace(beginTrace(undefined, true), work)).toBe(1);
  sendSpansTo((span) => exporter.receive(span));
  expect(await work()).toBe(1);
  expect(await withTrace(beginTrace(undefined, false), work)).toBe(1);
  await exporter.end();
  expect(collector.requests).toEqual([]);
});

test('what the collector does not take, or memory does not hold, is lost and told', async () => {
  await using collector = await startCollector();
  collector.answer.status = 503;
  const exporter = exporterTo(collector.endpoint);
  const span: EndedSpan = {
    ...{ trace: beginTrace(undefined, true), name: 'work' },
    kind: 'internal',
    ...{ startedAt: 1, endedAt: 2, attributes: {}, hasFailed: false },
  };
  for (let n = 0; n < 6000; n++) exporter.receive(span);
  await exporter.end();
  // The end waits a second for the last spans, which are few on a quiet machine.
  await expect.poll(() => lost.reduce((sum, { spans }) => sum + spans, 0)).toBe(6000);
  expect(collector.spans().length).toBeLessThanOrEqual(4096 + 512);
  collector.answer.status = 200;
  const before = collector.spans().length;
  const next = exporterTo(collector.endpoint);
  next.receive(span);
  await next.end();
  expect(collector.spans()).toHaveLength(before + 1);
});

test('the end leaves no request to a collector that hangs', async () => {
  let asked = 0;
  const server = createServer(() => {
    asked++;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const exporter = exporterTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const trace = beginTrace(undefined, true);
  const span: EndedSpan = {
    ...{ trace, name: 'work', kind: 'internal', startedAt: 1, endedAt: 2, attributes: {}, hasFailed: false },
  };
  for (let n = 0; n < 2000; n++) exporter.receive(span);
  vi.advanceTimersByTime(2000);
  vi.useRealTimers();
  await expect.poll(() => asked).toBe(1);
  await exporter.end();
  await expect.poll(() => lost.reduce((sum, { spans }) => sum + spans, 0)).toBe(2000);
  expect(asked).toBe(1);
  // `close` waits for all connections.
  await new Promise((closed) => server.close(closed));
});

const KINDS = { internal: 0, server: 1, client: 2 } as const;
// Spans of one object are one part of a request.
const RESOURCE = { attributes: { 'service.name': 'waypost-api' } };
const SCOPE = { name: 'waypost' };
type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

/** The span as OpenTelemetry's library has it. */
function asReadableSpan({ trace, startedAt, endedAt, ...span }: EndedSpan): ReadableSpan {
  const { traceId, spanId, parentSpanId, traceState } = trace;
  const state = traceState === undefined ? {} : { traceState: { serialize: () => traceState } };
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: 1, ...state });
  const of = (ms: number): [number, number] => [ms / 1000, 0];
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: context(parentSpanId) }),
    startTime: of(startedAt),
    endTime: of(endedAt),
    status: { code: span.hasFailed ? 2 : 0 },
    attributes: span.attributes,
    ...{ resource: RESOURCE, instrumentationScope: SCOPE },
    ...{ links: [], events: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  } as unknown as ReadableSpan;
}

/** Reviver: leaves out what has its default, and writes 64-bit numbers as texts. Both are the same by the JSON mapping of protobuf. */
function withoutDefaults(key: string, value: unknown) {
  if (/^dropped\w+Count$|^links$|^events$/.test(key)) return undefined;
  if (key === 'code' && value === 0) return undefined;
  if (key === 'intValue') return String(value);
  // Bit 8 says that bit 9 tells whether the parent is remote.
  if (key === 'flags') return (value as number) & 0xff;
  return value;
}
