/** Tries a connection: asks its store for the first key of each of its buckets, with the request that lists a bucket for a load. */
import type { Turns } from '../../../platform/concurrency/turns.ts';
import { OutboundError } from '../../../platform/http/outbound-error.ts';
import { BucketDoor } from './bucket-door.ts';
import { failureOf } from './open-source.ts';
import type { RunLoadOptions } from './run-load.ts';

interface TriedBucket {
  readonly bucket: string;
  /** Why the bucket cannot be listed, for people. Null if it can be listed. */
  readonly problem: string | null;
}

interface TryConnectionOptions extends Pick<RunLoadOptions, 'reachStore' | 'now'> {
  readonly reader: Pick<RunLoadOptions['reader'], 'read'>;
  /** Limits the trials of each account, so the slow stores of one account do not take all places. */
  readonly turns: Turns;
  /** The longest wait for the answer about a bucket. `inAllMs`: the longest wait for all answers. Only tests set these two. */
  readonly answerMs?: number;
  readonly inAllMs?: number;
}

const ANSWER_MS = 10_000;
/** Clients wait for a minute. A connection may have 50 buckets, all in the same silent store. */
const IN_ALL_MS = 30_000;
const LIMITS = { headMs: ANSWER_MS, idleMs: ANSWER_MS, bytesPerSecond: 1024, maxBytes: 64 * 1024 };
const LATE = 'does not answer in time';

/** Throws Refusal if there is no such connection, or if its keys cannot be opened. */
export async function tryConnection(
  { reader, reachStore, now, turns, answerMs = ANSWER_MS, inAllMs = IN_ALL_MS }: TryConnectionOptions,
  accountId: string,
  name: string,
): Promise<TriedBucket[]> {
  const store = await reachStore(accountId, name);
  const door = new BucketDoor(reader.read, store, now);
  const end = AbortSignal.timeout(inAllMs);
  const problemOf = async (bucket: string): Promise<string | null> => {
    if (end.aborted) return LATE;
    try {
      await door.look(bucket, {
        limits: LIMITS,
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), end]),
      });
      return null;
    } catch (error) {
      const isLate = error instanceof OutboundError && error.reason === 'aborted';
      return isLate ? LATE : failureOf(error).message;
    }
  };
  return Promise.all(
    store.buckets.map((bucket) =>
      turns.run(accountId, async () => ({ bucket, problem: await problemOf(bucket) })),
    ),
  );
}
