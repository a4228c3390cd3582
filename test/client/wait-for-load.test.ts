import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { UploadAttempt } from '../../client/src/answers.ts';
import { waitForLoad } from '../../client/src/load/wait-for-load.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

test('the looks at a load leave most requests of a small plan to others', async () => {
  let looks = 0;
  const look = async () => ({ outcome: looks++ < 50 ? 'running' : 'published' }) as UploadAttempt;
  await waitForLoad(look, {});
  const pauses = vi.mocked(setTimeout).mock.calls.map(([ms]) => ms!);
  const minutes = pauses.map((_, n) => {
    const at = pauses.slice(0, n + 1).reduce((sum, ms) => sum + ms, 0);
    return Math.floor(at / 60_000);
  });
  const inMinute = (minute: number) => minutes.filter((one) => one === minute).length;
  expect(inMinute(0)).toBeLessThanOrEqual(10);
  expect(inMinute(1)).toBeLessThanOrEqual(4);
});
