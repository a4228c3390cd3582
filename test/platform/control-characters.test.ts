import { expect, test } from 'vitest';
import { hasControl } from '../../src/platform/control-characters.ts';

test.each([
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u202e',
  '\u2066',
])('%j changes how text is shown', (character) => {
  expect(hasControl(`a${character}b`)).toBe(true);
});

test.each(['Für das Team', '東京', 'שלום', 'مرحبا', '👩\u200d💻', 'a\u00adb', ''])('%j does not', (text) => {
  expect(hasControl(text)).toBe(false);
});
