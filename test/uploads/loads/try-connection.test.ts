/** The trial of a connection whose store is silent. */
import { expect, test } from 'vitest';
import { tryConnection } from '../../../src/features/uploads/loads/try-connection.ts';
import { Turns } from '../../../src/platform/concurrency/turns.ts';
import { OutboundError } from '../../../src/platform/http/outbound-error.ts';
import { Secret } from '../../../src/platform/secret.ts';

test('a silent store with many buckets is told as silent before its client gives up', async () => {
  let asked = 0;
  const buckets = Array.from({ length: 50 }, (_, n) => `bucket-${n}`);
  const keys = { accessKeyId: new Secret('a'), secretAccessKey: new Secret('b'), sessionToken: null };
  const tried = await tryConnection(
    {
      reader: {
        read: ({ signal }) => {
          asked += 1;
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new OutboundError('aborted', 'given up')));
          });
        },
      },
      reachStore: async () => ({ endpoint: 'https://s3.example.net', region: 'eu', buckets, ...keys }),
      now: () => new Date(),
      turns: new Turns(1),
      ...{ answerMs: 20, inAllMs: 50 },
    },
    'account',
    'silent',
  );
  expect(tried).toEqual(buckets.map((bucket) => ({ bucket, problem: 'does not answer in time' })));
  expect(asked).toBeLessThan(10);
});
