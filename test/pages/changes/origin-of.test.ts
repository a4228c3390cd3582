import { expect, test } from 'vitest';
import { originOf } from '../../../pages/views/changes/origin-of.ts';

test.for([
  [['https://a.example'], 'https://a.example'],
  [['https://a.example?page=1', 'https://a.example#top', 'https://a.example/b'], 'https://a.example'],
  [['https://a.example:8443/', 'https://a.example:8443'], 'https://a.example:8443'],
  [['https://a.example', 'http://a.example'], undefined],
  [['https://a.example', 'https://a.example.org'], undefined],
  [[], undefined],
] as const)('the URLs %j have the origin %s', ([urls, origin]) => expect(originOf(urls)).toBe(origin));
