import { expect, test } from 'vitest';
import { createLocalLimit } from '../../src/features/accounts/rate-limits.ts';

test('each subject has a window of a minute from its first request', async () => {
  let at = 1000;
  const count = createLocalLimit(2, () => at);
  const both = () => Promise.all([count('user_a'), count('user_b')]);
  await both();
  at += 20_000;
  expect(await count('user_a')).toEqual({ limit: 2, remaining: 0, resetSeconds: 40, excess: 0 });
  expect(await count('user_a')).toMatchObject({ remaining: 0, resetSeconds: 40, excess: 1 });
  expect(await count('user_b')).toMatchObject({ remaining: 0, excess: 0 });
  at += 40_000;
  expect(await both()).toMatchObject(Array(2).fill({ remaining: 1, resetSeconds: 60, excess: 0 }));
});
