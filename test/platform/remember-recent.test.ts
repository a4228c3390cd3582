import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { rememberRecent } from '../../src/platform/remember-recent.ts';

test('a text is computed once, until too many others came', () => {
  const computed: string[] = [];
  const upper = rememberRecent(
    (text) => {
      computed.push(text);
      return text.toUpperCase();
    },
    { most: 2, maxLength: 3 },
  );
  for (const text of ['a', 'a', 'b', 'a']) expect(upper(text)).toBe(text.toUpperCase());
  expect(computed).toEqual(['a', 'b']);
  for (const text of ['c', 'c', 'a']) expect(upper(text)).toBe(text.toUpperCase());
  expect(computed).toEqual(['a', 'b', 'c', 'a']);
});

test('a long text is never remembered', () => {
  let computed = 0;
  const length = rememberRecent((text) => ++computed && text.length, { most: 2, maxLength: 3 });
  for (const _ of [1, 2]) expect(length('abcd')).toBe(4);
  expect(computed).toBe(2);
});

test('a text that was cut from a longer one does not keep all of it', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const same = rememberRecent((text) => ({ text }), { most: 500, maxLength: 100 });
  const bytesHeld = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = bytesHeld();
  for (let i = 0; i < 500; i++) {
    const long = Buffer.alloc(20_000, `a path with the number ${i} and more `).toString('latin1');
    const cut = long.slice(0, 30);
    expect(same(cut)).toEqual({ text: cut });
  }
  // 10 MB, if each keeps the text that it was cut from.
  expect(bytesHeld() - before).toBeLessThan(5_000_000);
  // A text that has no form in UTF-8 is not confused with another.
  expect(same('\ud800')).toEqual({ text: '\ud800' });
});
