import { expect, test } from 'vitest';
import { withoutControls } from '../../src/cli/print-table.ts';

test.each([
  ['\x1b[31mred', '\\x1b[31mred'],
  ['two\nlines\r', 'two\\x0alines\\x0d'],
  ['\0\x7f', '\\x00\\x7f'],
  // The C1 form of CSI, which some terminals accept for ESC [.
  ['\u009b31m', '\\x9b31m'],
  ['a\u202egnp.exe\u2066', 'a\\u202egnp.exe\\u2066'],
  ['\u2028\u2029\u061c', '\\u2028\\u2029\\u061c'],
])('%j is shown without its controls', (text, shown) => {
  expect(withoutControls(text)).toBe(shown);
});

test('ordinary names stay unchanged', () => {
  for (const name of ['Ácme & Söhne', '株式会社', 'شركة', '👩‍🚀', 'a\\b'])
    expect(withoutControls(name)).toBe(name);
});
