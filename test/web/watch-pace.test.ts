import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pace, type PaceLimits } from '../../src/core/web/watch-pace.ts';
import type { Refusal } from '../../src/platform/refusal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMITS: PaceLimits = {
  timeoutMs: 3_600_000,
  minimum: { stallTimeoutMs: 120_000, bytesPerSecond: 1024 },
};

function start(limits = LIMITS) {
  const refusals: Refusal[] = [];
  const pace = new Pace(limits, (refusal) => refusals.push(refusal));
  pace.isWaiting = true;
  /** Each second brings this many bytes, as sent and as decompressed. */
  const pass = (seconds: number, sent: number, decompressed = sent) => {
    for (let n = 0; n < seconds; n++) {
      if (sent > 0) pace.received(sent);
      pace.decompressed(decompressed);
      vi.advanceTimersByTime(1000);
    }
  };
  return { pace, pass, first: () => refusals[0] };
}

test('a body may pause for the allowed time only', () => {
  const { pass, first } = start();
  pass(1, 500_000);
  pass(118, 0);
  expect(first()).toBeUndefined();
  pass(1, 500_000);
  pass(118, 0);
  expect(first()).toBeUndefined();
  pass(1, 0);
  expect(first()).toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message:
      'The request body stalled: after 1000000 bytes nothing came for 120 s; pauses must be shorter than 120 s (UPLOAD_STALL_TIMEOUT_MS).',
  });
});

test('a body with a late beginning and then a slow pace is in time', () => {
  const { pass, first } = start();
  pass(45, 0);
  pass(600, 3000);
  expect(first()).toBeUndefined();
});

test('the rate counts decompressed bytes', () => {
  const slow = start();
  slow.pass(120, 100);
  expect(slow.first()).toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message:
      'The request body came too slowly: 12000 bytes, decompressed, in 120 s; the minimum is 1024 bytes a second (UPLOAD_MIN_BYTES_PER_SECOND).',
  });
  const compressed = start();
  compressed.pass(600, 100, 2000);
  expect(compressed.first()).toBeUndefined();
});

test('time in which we do not wait for the client counts neither as a pause nor as slowness', () => {
  const { pace, pass, first } = start();
  pass(60, 2000);
  pace.isWaiting = false;
  pass(3000, 0);
  pace.isWaiting = true;
  pass(59, 0);
  pass(1, 10_000);
  expect(first()).toBeUndefined();
});

test('the whole body has a time limit, whichever side is slow', () => {
  const { pace, pass, first } = start();
  pace.isWaiting = false;
  pass(3601, 1);
  expect(first()).toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message:
      'The request body is not complete after 3600 s, with 3601 bytes; the limit is 3600 s (UPLOAD_TIMEOUT_MS).',
  });
});

test('a small body has only its total time', () => {
  const { pass, first } = start({ timeoutMs: 30_000 });
  pass(30, 0);
  expect(first()).toBeUndefined();
  pass(1, 0);
  expect(first()?.message).toBe(
    'The request body is not complete after 30 s, with 0 bytes; the limit is 30 s.',
  );
});
