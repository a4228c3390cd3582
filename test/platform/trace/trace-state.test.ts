import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginTrace, childOf } from '../../../src/platform/trace/trace-context.ts';
import { parseTraceState } from '../../../src/platform/trace/trace-state.ts';

// Most are those of the test suite of W3C: https://github.com/w3c/trace-context/blob/main/test/test.py
test.each([
  ['foo=1', 'foo=1'],
  ['foo=1,bar=2', 'foo=1,bar=2'],
  ['foo=1 \t , \t bar=2, \t baz=3', 'foo=1,bar=2,baz=3'],
  ['foo=1,', 'foo=1'],
  ['foo=1,,bar=2', 'foo=1,bar=2'],
  ['', undefined],
  [' ,\t', undefined],
  ['foo@=1,bar=2', undefined],
  ['@foo=1,bar=2', undefined],
  ['foo@@bar=1,bar=2', undefined],
  ['foo@bar@baz=1,bar=2', undefined],
  ['foo @=1', undefined],
  ['FOO=1', undefined],
  ['foo.bar=1', undefined],
  ['foo', undefined],
  ['foo=', undefined],
  ['foo=1,foo=2', undefined],
  ['foo=bar=baz', undefined],
  ['foo=\u00e9', undefined],
  ['1a=1', undefined],
  ['1t@v=1', '1t@v=1'],
  [`${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
  [`${'z'.repeat(257)}=1`, undefined],
  [`${'t'.repeat(241)}@${'v'.repeat(14)}=1`, `${'t'.repeat(241)}@${'v'.repeat(14)}=1`],
  [`${'t'.repeat(242)}@v=1`, undefined],
  [`t@${'v'.repeat(15)}=1`, undefined],
  [`foo=${'x'.repeat(256)}`, `foo=${'x'.repeat(256)}`],
  [`foo=${'x'.repeat(257)}`, undefined],
])('%j becomes %j', (header, expected) => {
  expect(parseTraceState(header)).toBe(expected);
});

test('there are 32 members at most, and 512 characters', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `k${n}=v`).join();
  expect(parseTraceState(many(32))).toBe(many(32));
  expect(parseTraceState(many(33))).toBeUndefined();
  const [long, other] = [`long=${'x'.repeat(200)}`, `other=${'y'.repeat(100)}`];
  // Long members go first, then the last ones.
  expect(parseTraceState(`a=1,${long},${other},b=${'z'.repeat(250)}`)).toBe(`a=1,${long},${other}`);
  const short = Array.from({ length: 6 }, (_, n) => `k${n}=${'v'.repeat(97)}`);
  expect(parseTraceState(short.join())).toBe(short.slice(0, 5).join());
});

test('what is passed on stays as it is, whatever came', () => {
  const member = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9@]{0,5}$/), fc.stringMatching(/^[ -~]{0,300}$/));
  const header = fc.array(
    member.map((pair) => pair.join('=')),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(fc.oneof(header.map(String), fc.string()), (text) => {
      const passed = parseTraceState(text);
      if (passed === undefined) return;
      expect(passed.length).toBeLessThanOrEqual(512);
      expect(parseTraceState(passed)).toBe(passed);
    }),
  );
});

test('it belongs to a valid traceparent, and a trace goes on without it', () => {
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const begun = beginTrace(traceparent, false, 'foo=1');
  expect([begun.traceState, childOf(begun).traceState]).toEqual(['foo=1', 'foo=1']);
  expect(beginTrace(traceparent, false, 'foo')).toMatchObject({
    traceId: '1'.repeat(32),
    traceState: undefined,
  });
  expect(beginTrace('bad', false, 'foo=1').traceState).toBeUndefined();
  expect(beginTrace(undefined, false, 'foo=1').traceState).toBeUndefined();
});
