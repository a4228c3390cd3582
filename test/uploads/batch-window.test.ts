import { expect, test } from 'vitest';
import { BatchWindow, type WindowShare } from '../../src/features/uploads/batch-window.ts';

/** Whether the upload may read its next batch now. */
async function mayRead(share: WindowShare): Promise<boolean> {
  let may = false;
  void share.mayRead().then(() => {
    may = true;
  });
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return may;
}

test('an upload alone has all batches of the window', async () => {
  const share = new BatchWindow(3).open('account');
  const reads: boolean[] = [];
  for (let n = 0; n < 4; n++) {
    reads.push(await mayRead(share));
    share.begin();
  }
  expect(reads).toEqual([true, true, true, false]);
});

test('beyond the window, each upload has one batch', async () => {
  const window = new BatchWindow(2);
  const shares = Array.from({ length: 5 }, () => window.open('account'));
  for (const share of shares) {
    expect(await mayRead(share)).toBe(true);
    share.begin();
  }
  expect(await Promise.all(shares.map(mayRead))).toEqual(Array(5).fill(false));
  shares[0]!.end();
  expect(await mayRead(shares[0]!)).toBe(true);
  expect(await mayRead(shares[1]!)).toBe(false);
});

test('an account does not narrow the window of another one', async () => {
  const window = new BatchWindow(2);
  for (let n = 0; n < 3; n++) window.open('account_many').begin();
  const few = window.open('account_few');
  few.begin();
  expect(await mayRead(few)).toBe(true);
});

test('a waiting upload goes on when another one ends a batch', async () => {
  const window = new BatchWindow(2);
  const [one, other] = [window.open('account'), window.open('account')];
  one.begin();
  other.begin();
  const waiting = one.mayRead();
  other.end();
  await waiting;
});

test('an upload that is closed leaves nothing, whatever it does later', async () => {
  const window = new BatchWindow(2);
  const [one, other] = [window.open('account'), window.open('account')];
  one.begin();
  one.begin();
  other.begin();
  const [ofOne, ofOther] = [one.mayRead(), other.mayRead()];
  one.close();
  await Promise.all([ofOne, ofOther]);
  one.end();
  one.begin();
  other.begin();
  expect(await mayRead(other)).toBe(false);
  other.end();
  expect(await mayRead(other)).toBe(true);
});
