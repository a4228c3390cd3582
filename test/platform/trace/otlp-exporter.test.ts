/** Spans as a collector gets them. */
import { afterEach, expect, test } from 'vitest';
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
