import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginTrace, childOf, parseTraceState } from '../../../src/platform/trace/trace-context.ts';

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

const LONGEST = 512;
const value = fc.stringMatching(/^[ -+\--<>-~]*[!-+\--<>-~]$/, { maxLength: 60 });
/** Many members are short, and some are about as long as one that goes first. The last one fills the header up to about its limit. */
const members = fc
  .tuple(
    fc.array(fc.tuple(value, fc.constantFrom(0, 0, 0, 60, 120, 130, 180)), { maxLength: 32 }),
    fc.integer({ min: LONGEST - 5, max: LONGEST + 5 }),
  )
  .map(([values, length]) => {
    const given = values.map(([value, more], n) => `k${n}@v=${'v'.repeat(more)}${value}`);
    const missing = length - `${given},last=`.length;
    return missing > 0 && missing <= 256 && given.length < 32
      ? [...given, `last=${'v'.repeat(missing)}`]
      : given;
  });

test('a valid header loses only as many members as it must, long ones first, then the last ones', () => {
  fc.assert(
    fc.property(members, (given) => {
      const passed = parseTraceState(given.join()) ?? '';
      const kept = given.filter((member) => passed.split(',').includes(member));
      expect(kept.join()).toBe(passed);
      expect(passed.length).toBeLessThanOrEqual(LONGEST);
      const isLong = ({ length }: string) => length > 128;
      const lost = given.filter((member) => !kept.includes(member));
      const shortOnes = lost.filter((member) => !isLong(member));
      if (shortOnes.length > 0) expect(kept.filter(isLong)).toEqual([]);
      const [lastToGo] = shortOnes.length > 0 ? shortOnes : lost;
      if (lastToGo !== undefined) expect(passed.length + lastToGo.length).toBeGreaterThanOrEqual(LONGEST);
    }),
  );
});

test('what is passed on stays as it is, also if one character of the header is wrong', () => {
  const damaged = fc
    .tuple(members, fc.nat(LONGEST), fc.constantFrom('', ...'=,@ A\té'))
    .map(([given, at, put]) => given.join().slice(0, at) + put + given.join().slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string()), (text) => {
      const passed = parseTraceState(text);
      if (passed === undefined) return;
      expect(passed.length).toBeLessThanOrEqual(LONGEST);
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
