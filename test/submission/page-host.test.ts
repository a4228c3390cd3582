import { expect, test } from 'vitest';
import { keyFileOf, pageHostOf, parsePageHost } from '../../src/features/submission/page-host.ts';

test.each([
  ['www.example.com', 'https://www.example.com/k.txt'],
  ['WWW.Example.com', 'https://www.example.com/k.txt'],
  ['www.example.com:8443', 'https://www.example.com:8443/k.txt'],
  ['https://www.example.com:443', 'https://www.example.com/k.txt'],
  ['http://127.0.0.2:8080', 'http://127.0.0.2:8080/k.txt'],
  ['bücher.example', 'https://xn--bcher-kva.example/k.txt'],
])('the key file of %s is %s', (given, keyFile) => {
  const { host, scheme = 'https' } = parsePageHost(given);
  expect(keyFileOf({ host, scheme, key: 'k' })).toBe(keyFile);
});

test.each([
  [undefined, 'is required'],
  [null, 'is required'],
  [7, 'must be a string'],
  ['', 'must be a host'],
  ['www.example.com/path', 'must be a host'],
  ['www.example.com?', 'must be a host'],
  ['https://www.example.com/', 'must be a host'],
  ['ftp://www.example.com', 'must be a host'],
  ['user@www.example.com', 'must be a host'],
  ['www.example.com:99999', 'must be a host'],
  ['two words', 'must be a host'],
  ['a\r\nb', 'must be a host'],
])('%j is no page host', (given, message) => {
  expect(() => parsePageHost(given)).toThrow(message);
});

test("the host of a page has its port, unless it is the scheme's own", () => {
  expect(pageHostOf('http://A.example.com:80/x')).toEqual({ host: 'a.example.com', scheme: 'http' });
  expect(pageHostOf('https://a.example.com:80/x')).toEqual({ host: 'a.example.com:80', scheme: 'https' });
});
