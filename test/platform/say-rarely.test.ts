import { expect, test } from 'vitest';
import { type Rarity, sayRarely } from '../../src/platform/say-rarely.ts';

function collect(lines?: number) {
  const clock = { now: 0 };
  const said: [string, Rarity][] = [];
  const now = () => clock.now;
  const say = sayRarely<string>((subject, rarity) => said.push([subject, rarity]), {
    now,
    ...(lines && { lines }),
  });
  return { clock, said, say };
}

test('the first line is logged at once, then one every 10 s with the number of lines between', () => {
  const { clock, said, say } = collect();
  say('first');
  say('second');
  clock.now = 9_999;
  say('third');
  clock.now = 10_000;
  say('fourth');
  expect(said).toEqual([
    ['first', { unsaid: 0, isFirst: true }],
    ['fourth', { unsaid: 2, isFirst: true }],
  ]);
});

test('if several lines are allowed in 10 s, the first of them has the number of lines suppressed before', () => {
  const { clock, said, say } = collect(2);
  for (const subject of ['a', 'b', 'c', 'd']) say(subject);
  clock.now = 10_000;
  for (const subject of ['e', 'f', 'g']) say(subject);
  expect(said).toEqual([
    ['a', { unsaid: 0, isFirst: true }],
    ['b', { unsaid: 0, isFirst: false }],
    ['e', { unsaid: 2, isFirst: true }],
    ['f', { unsaid: 0, isFirst: false }],
  ]);
});
