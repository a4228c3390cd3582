/** Sends a request with an Idempotency-Key again, after its first answer may have been lost. */
import { expect, vi } from 'vitest';
import type { Received } from '../../service/support/send.ts';
import { SOON } from '../../support/soon.ts';
import type { RepeatableUpload } from './world.ts';

/** Checks that all answers are the same, and that only one of them is no repetition. `first` is undefined if it was lost. */
export async function sendAgain(
  upload: RepeatableUpload,
  first: Received | undefined,
): Promise<{ readonly answer: Received; readonly wasDoneBefore: boolean }> {
  // A busy store may fail it once more, and then its key is free a moment later.
  const answer = await vi.waitFor(async () => (await upload.send()) ?? Promise.reject('no answer'), SOON);
  const next = (await upload.send())!;
  expect(isReplayed(next)).toBe(true);
  expect(next.body.toString()).toBe(answer.body.toString());
  if (first !== undefined) {
    expect(isReplayed(first)).toBe(false);
    expect(isReplayed(answer)).toBe(true);
    expect(answer.body.toString()).toBe(first.body.toString());
  }
  return { answer, wasDoneBefore: isReplayed(answer) };
}

const isReplayed = ({ headers }: Received) => headers['idempotency-replayed'] === 'true';
