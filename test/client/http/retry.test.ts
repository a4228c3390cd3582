import { expect, test } from 'vitest';
import { withRetries } from '../../../client/src/http/retry.ts';
import { WaypostError } from '../../../client/src/waypost-error.ts';

test('a wait of 0 counts once', async () => {
  const stop = new AbortController();
  const delays: number[] = [];
  const error = new WaypostError('SERVICE_UNAVAILABLE', 'No.', { retryAfterSeconds: 0, isTemporary: true });
  const tried = withRetries(() => Promise.reject(error), {
    signal: stop.signal,
    onRetry({ delayMs }) {
      delays.push(delayMs);
      if (delays.length === 2) stop.abort();
    },
  });
  await expect(tried).rejects.toThrow('aborted');
  expect(delays).toEqual([0, expect.toSatisfy((ms: number) => ms >= 1000)]);
});
