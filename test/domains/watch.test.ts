import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/features/domains/diagnosis.ts';
import { afterCheck, MOVED_UNTIL_LOST_MS, STEADY, type Watch } from '../../src/features/domains/watch.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The watch some time later. */
function later({ wrongChecks, countedForMs, movedForMs }: Watch, ms: number): Watch {
  const plus = (age: number | null) => (age === null ? null : age + ms);
  return { wrongChecks, countedForMs: plus(countedForMs), movedForMs: plus(movedForMs) };
}

/** The watch after answers, each at its minute. */
function afterAnswers(answers: readonly (readonly [minute: number, verdict: Verdict])[]) {
  let watch: Watch = STEADY;
  let at = 0;
  let last = afterCheck(watch, 'right', 0.5);
  for (const [minute, verdict] of answers) {
    last = afterCheck(later(watch, (minute - at) * MINUTE_MS), verdict, 0.5);
    watch = last;
    at = minute;
  }
  return last;
}

test('a domain that is right is checked about once a day, spread by chance', () => {
  expect(afterCheck(STEADY, 'right', 0).nextInMs).toBe(18 * HOUR_MS);
  expect(afterCheck(STEADY, 'right', 0.5).nextInMs).toBe(DAY_MS);
  expect(afterCheck(STEADY, 'right', 1).nextInMs).toBe(30 * HOUR_MS);
});

test('three wrong answers in a row, and no fewer, make it count as moved', () => {
  const once = afterAnswers([[0, 'wrong']]);
  expect(once).toMatchObject({ wrongChecks: 1, movedForMs: null, nextInMs: 15 * MINUTE_MS });
  const twice = afterAnswers([
    [0, 'wrong'],
    [15, 'wrong'],
  ]);
  expect(twice).toMatchObject({ wrongChecks: 2, movedForMs: null, nextInMs: 15 * MINUTE_MS });
  const moved = afterAnswers([
    [0, 'wrong'],
    [15, 'wrong'],
    [30, 'wrong'],
  ]);
  expect(moved).toMatchObject({ movedForMs: 0, nextInMs: HOUR_MS, isLost: false });
});

test('wrong answers of the same minutes count once, so nobody hurries the watch', () => {
  const burst = afterAnswers([
    [0, 'wrong'],
    [0, 'wrong'],
    [1, 'wrong'],
    [2, 'wrong'],
    [9, 'wrong'],
  ]);
  expect(burst).toMatchObject({ wrongChecks: 1, movedForMs: null });
});

test('an unknown answer neither counts nor sets back', () => {
  const watch = afterAnswers([
    [0, 'wrong'],
    [15, 'unknown'],
    [30, 'wrong'],
  ]);
  expect(watch).toMatchObject({ wrongChecks: 2, movedForMs: null });
  expect(
    afterAnswers([
      [0, 'unknown'],
      [15, 'unknown'],
      [30, 'unknown'],
    ]),
  ).toMatchObject(STEADY);
  const lost = { wrongChecks: 9, countedForMs: DAY_MS, movedForMs: 9 * DAY_MS };
  expect(afterCheck(lost, 'unknown', 0).isLost).toBe(false);
});

test('a moved domain is lost with a wrong answer after 7 days, and not before', () => {
  const moved = { wrongChecks: 100, countedForMs: HOUR_MS, movedForMs: MOVED_UNTIL_LOST_MS };
  expect(afterCheck(moved, 'wrong', 0.5).isLost).toBe(true);
  expect(afterCheck(later(moved, -1), 'wrong', 0.5).isLost).toBe(false);
  expect(afterCheck(moved, 'right', 0.5)).toMatchObject({ ...STEADY, isLost: false });
});

test('a right answer sets all back', () => {
  expect(
    afterAnswers([
      [0, 'wrong'],
      [15, 'wrong'],
      [30, 'right'],
      [45, 'wrong'],
    ]),
  ).toMatchObject({
    wrongChecks: 1,
    countedForMs: 0,
    movedForMs: null,
  });
});

test('a week without checks proves nothing: six more wrong answers do', () => {
  let watch: Watch = { wrongChecks: 3, countedForMs: 8 * DAY_MS, movedForMs: 8 * DAY_MS };
  const lost = Array.from({ length: 6 }, () => {
    const next = afterCheck(watch, 'wrong', 0.5);
    watch = later(next, HOUR_MS);
    return next.isLost;
  });
  expect(lost).toEqual([false, false, false, false, false, true]);
});

describe('a domain that is wrong for ever', () => {
  /** Each check comes so many minutes late. In minutes after the first wrong answer. */
  const simulate = (lateMinutes: number, random: () => number) => {
    let watch: Watch = STEADY;
    let at = 0;
    let movedAt: number | undefined;
    for (;;) {
      const next = afterCheck(watch, 'wrong', random());
      if (next.movedForMs === 0) movedAt = at;
      if (next.isLost) return { lost: at - movedAt!, moved: movedAt!, checkEvery: 60 * 1.25 + lateMinutes };
      const minutes = next.nextInMs / MINUTE_MS + lateMinutes;
      watch = later(next, minutes * MINUTE_MS);
      at += minutes;
    }
  };

  test.each([0, 15, 30, 60, 120, 600, 1080])(
    'fails 7 days after it moved, and at most one check later: checks %i minutes late',
    (late) => {
      for (const random of [() => 0, () => 1, Math.random]) {
        const { lost, moved, checkEvery } = simulate(late, random);
        expect(moved).toBe(2 * (15 + late));
        expect(lost).toBeGreaterThanOrEqual(7 * 24 * 60);
        expect(lost).toBeLessThanOrEqual(7 * 24 * 60 + checkEvery);
      }
    },
  );
});
