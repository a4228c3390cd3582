import { expect, test } from 'vitest';
import { returnPath, signInPath, withProblem } from '../../../src/edges/dashboard/oidc/return-path.ts';

const ORIGIN = 'https://api.example.net';

test.each([
  ['/dashboard', '/dashboard'],
  ['/dashboard/domains/domain_1?tab=dns', '/dashboard/domains/domain_1?tab=dns'],
  ['https://api.example.net/dashboard/upload', '/dashboard/upload'],
  ['/dashboard/a#secret', '/dashboard/a'],
  ['/dashboard/ü "x"', '/dashboard/%C3%BC%20%22x%22'],
])('%s is a page of ours', (given, path) => {
  expect(returnPath(given, ORIGIN)).toBe(path);
});

test.each([
  undefined,
  ['/dashboard/a', '/dashboard/b'],
  { a: 'b' },
  '',
  '/',
  '/dashboards',
  '/auth/start?provider=a',
  '/dashboard/../auth/sign-out',
  '/dashboard/%2e%2e/api/domains',
  '/dashboard/api',
  '/dashboard/api/session',
  '//evil.example/dashboard/a',
  '/\\evil.example/dashboard/a',
  '\t//evil.example/dashboard/a',
  '/\n/evil.example/dashboard/a',
  'https://evil.example/dashboard/a',
  'https://api.example.net.evil.example/dashboard/a',
  'https://api.example.net@evil.example/dashboard/a',
  'https://user@api.example.net/dashboard/a',
  'http://api.example.net/dashboard/a',
  'https://api.example.net:8443/dashboard/a',
  'javascript:alert(1)',
  'data:text/html,/dashboard/a',
  'blob:https://api.example.net/dashboard/a',
  `/dashboard/${'a'.repeat(1000)}`,
  `/dashboard/${'ü'.repeat(400)}`,
])('%j leads to the start page', (given) => {
  expect(returnPath(given, ORIGIN)).toBe('/dashboard');
});

test('the page of the sign-in knows where to go afterwards', () => {
  expect(signInPath('/dashboard')).toBe('/dashboard/sign-in');
  const path = signInPath('/dashboard/a?b=c&d');
  expect(new URL(path, ORIGIN).searchParams.get('return_to')).toBe('/dashboard/a?b=c&d');
});

test('a problem joins what the page was asked for', () => {
  expect(withProblem('/dashboard/a?b=c&problem=x', 'stale')).toBe('/dashboard/a?b=c&problem=stale');
});
