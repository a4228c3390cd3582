import { expect, test } from 'vitest';
import { sayRarely } from '../../src/hosting/say-rarely.ts';

test('the first is said at once, then one every 10 s with the number of those between', () => {
  let now = 0;
  const said: unknown[] = [];
  const say = sayRarely<string>(
    () => now,
    (subject, unsaid) => said.push([subject, unsaid]),
  );
  say('first');
  say('second');
  now = 9_999;
  say('third');
  now = 10_000;
  say('fourth');
  expect(said).toEqual([
    ['first', 0],
    ['fourth', 2],
  ]);
});
