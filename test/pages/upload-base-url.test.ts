import { expect, test } from 'vitest';
import { baseUrlOf } from '../../pages/views/upload/base-url.ts';

test.each([
  ['', undefined],
  ['  ', undefined],
  ['www.example.com', 'https://www.example.com/'],
  ['www.example.com/products', 'https://www.example.com/products/'],
  [' http://www.example.com/a/b ', 'http://www.example.com/a/b/'],
  ['https://www.example.com/', 'https://www.example.com/'],
  ['https://www.example.com/?q=1', 'https://www.example.com/?q=1'],
  ['ftp://www.example.com', 'ftp://www.example.com/'],
  ['not a name', 'not a name'],
])('%j is the website %j', (typed, baseUrl) => {
  expect(baseUrlOf(typed)).toBe(baseUrl);
});

test('a path goes below the website', () => {
  expect(URL.parse('red-shoe', baseUrlOf('www.example.com/products'))?.href).toBe(
    'https://www.example.com/products/red-shoe',
  );
});
