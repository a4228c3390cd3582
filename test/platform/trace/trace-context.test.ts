import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  beginTrace,
  currentTrace,
  currentTraceparent,
  parseTraceparent,
  traceparentOf,
  withStoredTrace,
  withTrace,
} from '../../../src/platform/trace/trace-context.ts';

const TRACE = '12345678901234567890123456789012';
const SPAN = '1234567890123456';

// Those of the test suite of W3C: https://github.com/w3c/trace-context/blob/main/test/test.py
test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, true],
  [`00-${TRACE}-${SPAN}-01.`, false],
  [`00-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, false],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  [`cc-${TRACE}-${SPAN}-01.what-the-future-will-be-like`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`.0-${TRACE}-${SPAN}-01`, false],
  [`0-${TRACE}-${SPAN}-01`, false],
  [`000-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-.${TRACE.slice(1)}-${SPAN}-01`, false],
  [`00-${TRACE.slice(1)}-${SPAN}-01`, false],
  [`00-${TRACE}1-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE}-.${SPAN.slice(1)}-01`, false],
  [`00-${TRACE}-${SPAN}-.1`, false],
  [`00-${TRACE}-${SPAN}-1`, false],
  [`00-${TRACE}-${SPAN}-001`, false],
  [`00-${TRACE.replace('1', 'A')}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, false],
  [` 00-${TRACE}-${SPAN}-01`, false],
  ['', false],
])('%j is valid: %j', (header, isValid) => {
  const begun = beginTrace(header, false);
  expect(begun.traceId === TRACE).toBe(isValid);
  expect(begun.parentSpanId).toBe(isValid ? SPAN : undefined);
  expect(begun.spanId).not.toBe(SPAN);
});

test('only the flag that means sampled is read', () => {
  const sampled = (flags: string) => beginTrace(`00-${TRACE}-${SPAN}-${flags}`, false).isSampled;
  expect(['00', '01', '02', '03', 'fe', 'ff'].map(sampled)).toEqual([false, true, false, true, false, true]);
  expect([beginTrace(undefined, true).isSampled, beginTrace('bad', false).isSampled]).toEqual([true, false]);
});

test('whatever begins can be read by the next one', () => {
  const ids = new Set<string>();
  for (let n = 0; n < 500; n++) {
    const begun = beginTrace(undefined, n % 2 === 0);
    const { traceId, spanId, isSampled } = begun;
    expect(parseTraceparent(traceparentOf(begun))).toEqual({
      ...{ traceId, spanId, isSampled },
      parentSpanId: undefined,
    });
    ids.add(traceId).add(spanId);
  }
  expect(ids.size).toBe(1000);
});

test('any text is refused, or is the context that it says', () => {
  const hex = (length: number) =>
    fc.array(fc.constantFrom(...'0123456789abcdefAg-'), { minLength: length, maxLength: length });
  const like = fc
    .tuple(hex(2), hex(32), hex(16), hex(2))
    .map((parts) => parts.map((part) => part.join('')).join('-'));
  fc.assert(
    fc.property(fc.oneof(like, fc.string()), (header) => {
      const parsed = parseTraceparent(header);
      if (parsed === undefined) return;
      expect(header.slice(3, 52)).toBe(`${parsed.traceId}-${parsed.spanId}`);
      expect(BigInt(`0x${parsed.traceId}`) * BigInt(`0x${parsed.spanId}`)).toBeGreaterThan(0n);
    }),
  );
});

test('a trace follows the work, and goes on from its stored text with a span of its own', async () => {
  expect([currentTrace(), currentTraceparent()]).toEqual([undefined, null]);
  const begun = beginTrace(`00-${TRACE}-${SPAN}-01`, false);
  const stored = await withTrace(begun, async () => {
    await new Promise(setImmediate);
    expect(currentTrace()).toBe(begun);
    expect(withTrace(undefined, currentTraceparent)).toBeNull();
    return currentTraceparent();
  });
  const later = withStoredTrace(stored, currentTrace)!;
  expect(later).toMatchObject({ traceId: TRACE, parentSpanId: begun.spanId, isSampled: true });
  expect(later.spanId).not.toBe(begun.spanId);
  expect(withStoredTrace(null, currentTrace)).toBeUndefined();
});
