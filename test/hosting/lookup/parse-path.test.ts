import { expect, test } from 'vitest';
import { parsePath } from '../../../src/edges/hosting/lookup/parse-path.ts';

const file = (name: object, alias = false) => ({ kind: 'sitemap file', name, alias });

test.each([
  ['/robots.txt', { kind: 'robots' }],
  ['/sitemap.css', { kind: 'stylesheet' }],
  ['/changes.atom', { kind: 'feed' }],
  ['/sitemap.xml', file({ kind: 'sitemap', name: '' })],
  ['/sitemap.xml.gz', file({ kind: 'sitemap', name: '' }, true)],
  ['/sitemap-index.xml', file({ kind: 'index' })],
  ['/.well-known/acme-challenge/a_B-1', { kind: 'challenge', token: 'a_B-1' }],
  ['/sitemap-a_B-1.12.xml.gz', file({ kind: 'part', name: 'a_B-1', n: 12 }, true)],
])('%s', (path, asked) => {
  const countedAs = 'token' in asked ? undefined : path.replace(/^\/|\.gz$/g, '');
  expect(parsePath(path)).toEqual({ ...asked, countedAs });
});

test.each([
  '',
  '*',
  '/',
  'sitemap.xml',
  '/robots.txt.gz',
  '/sitemap.gz',
  '/sitemap.css.gz',
  '/changes.atom.gz',
  '/sitemap-blog.css',
  '/sitemap.xml.gz.gz',
  '/ROBOTS.TXT',
  '/a/sitemap.xml',
  '/.well-known/acme-challenge/',
  '/.well-known/acme-challenge/a/b',
  '/.well-known/acme-challenge/a%2eb',
  `/.well-known/acme-challenge/${'a'.repeat(129)}`,
  '/.well-known/ACME-challenge/a',
])('%s is not a path of a site', (path) => {
  expect(parsePath(path)).toBeUndefined();
});
