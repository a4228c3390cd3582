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

/** The grammar of section 3.2.2. */
const GRAMMAR = /^([0-9a-f]{2})-([0-9a-f]{32}-[0-9a-f]{16})-[0-9a-f]([0-9a-f])(-.*)?$/s;

function judge(header: string): { readonly ids: string; readonly isSampled: boolean } | undefined {
  const [, version, ids = '', flag = '', more] = GRAMMAR.exec(header) ?? [];
  const isKnown = version !== undefined && version !== 'ff' && (version !== '00' || more === undefined);
  if (!isKnown || ids.split('-').some((id) => BigInt(`0x${id}`) === 0n)) return undefined;
  return { ids, isSampled: '13579bdf'.includes(flag) };
}

test('a header is refused, or is the context that it says, also if one character is wrong', () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  const mostly = (usual: fc.Arbitrary<string>, ...others: string[]) =>
    fc.oneof({ arbitrary: usual, weight: 9 }, fc.constantFrom(...others));
  const like = fc
    .tuple(
      mostly(fc.constantFrom('00', '00', '01', 'cc'), 'ff'),
      mostly(hex(32), '0'.repeat(32)),
      mostly(hex(16), '0'.repeat(16)),
      hex(2),
      mostly(fc.constant(''), '-', '-more'),
    )
    .map(([version, traceId, spanId, flags, more]) => `${version}-${traceId}-${spanId}-${flags}${more}`);
  const damaged = fc
    .tuple(like, fc.nat(60), fc.nat(1), fc.constantFrom('', ...'0AFg-. '))
    .map(([header, at, taken, put]) => header.slice(0, at) + put + header.slice(at + taken));
  fc.assert(
    fc.property(fc.oneof({ arbitrary: like, weight: 4 }, damaged, fc.string()), (header) => {
      const parsed = parseTraceparent(header);
      const { traceId, spanId, isSampled } = parsed ?? {};
      expect(parsed && { ids: `${traceId}-${spanId}`, isSampled }).toEqual(judge(header));
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
