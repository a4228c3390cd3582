import { expect, test } from 'vitest';
import { parseTarget } from '../../../src/platform/http/request-target.ts';

test.each([
  ['/a?b', '/a'],
  ['http://a.example/b?c', '/b'],
  ['http://a.example', '/'],
  ['http://a.example?c', '/'],
  ['//a//b', '//a//b'],
])('the path of %s is %s', (target, path) => {
  expect(parseTarget(target).path).toBe(path);
});

test('the absolute form names scheme and host, in lower case; the origin form does not', () => {
  expect(parseTarget('HTTP://A.example:80/B')).toMatchObject({
    scheme: 'http',
    authority: 'a.example:80',
    path: '/B',
  });
  expect(parseTarget('/http://a.example/b').authority).toBeUndefined();
});
