/**
 * Limits concurrent uploads: per account across all processes, and over all accounts in this process. Each upload
 * holds a slot in Postgres on a lease. Its process renews the lease during the upload. If the process dies, the lease
 * ends and the slot is free again (docs/decisions/0014). Small uploads cost less than a slot: they are counted in this process.
 */
import { randomUUID } from 'node:crypto';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { Shares } from '../platform/concurrency/shares.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { freeUploadSlot, renewUploadSlots, takeUploadSlot, type UploadSlot } from './upload-slot-store.ts';

export interface UploadSlots {
  /**
   * Runs `work` in a slot. The slot is free when the promise settles; after a failure it may be free a little later.
   * Throws Refusal RATE_LIMIT_EXCEEDED, without running `work`, when the account has no free slot or the process has no
   * room. `progress`: what other processes may know of the work, told with each renewal of the lease.
   */
  hold<Result>(
    accountId: string,
    work: () => Promise<Result>,
    progress?: () => object | undefined,
  ): Promise<Result>;
  /** The same for a small upload, which takes memory of this process for its body instead. Nobody is told of its progress. */
  holdMemory<Result>(accountId: string, bytes: number, work: () => Promise<Result>): Promise<Result>;
}

export interface UploadSlotsOptions {
  readonly perAccount: number;
  /** For all accounts together, in this process. */
  readonly perProcess: number;
  readonly log: Log;
  readonly leaseMs?: number;
}

/**
 * Bodies of small uploads at once. With their files, some 128 MiB in all. Slow ones are held for a minute: a few accounts must not
 * keep out all others.
 */
export const SMALL_BODIES = {
  inAll: 64 * 1024 * 1024,
  perOwner: 16 * 1024 * 1024,
  // The first account has its quarter.
  partOfFree: 1 / 3,
};
/** The rest of a small upload: its request, its attempt. */
const REST_BYTES = 8 * 1024;

/** Short: if a process dies or cannot reach Postgres, its customers wait this long for a slot. */
const LEASE_MS = 5000;
/** Two renewals in a row may fail before the lease ends. */
const RENEWALS_PER_LEASE = 4;
/** How long the answer to a failed upload waits for the slot to be freed. Postgres itself may be the cause. */
const FREEING_AFTER_FAILURE_MS = 200;
/** Uploads take seconds to hours; some soon end. */
const RETRY_AFTER_SECONDS = 5;

export function createUploadSlots(
  database: Database,
  { perAccount, perProcess, log, leaseMs = LEASE_MS }: UploadSlotsOptions,
): UploadSlots {
  const held = new Map<UploadSlot, () => object | undefined>();
  /** Counts an upload before it asks for a slot. */
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  /** One renewal at a time, so `free` knows what to wait for. */
  let renewal: Promise<void> | undefined;

  const slotsNow = () => [...held].map(([slot, progress]) => ({ ...slot, progress: progress() }));
  const renew = () => {
    // If renewals keep failing, the account may exceed its limit. That is better than aborting its uploads.
    renewal ??= renewUploadSlots(database, slotsNow(), leaseMs)
      .catch((error) => log.warn({ err: error }, 'upload slots could not be renewed'))
      .finally(() => {
        renewal = undefined;
      });
  };
  const add = (slot: UploadSlot, progress: () => object | undefined) => {
    held.set(slot, progress);
    timer ??= setInterval(renew, leaseMs / RENEWALS_PER_LEASE);
  };
  const free = async (slot: UploadSlot) => {
    held.delete(slot);
    if (held.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    // A renewal that is under way would take the slot again.
    await renewal;
    try {
      await freeUploadSlot(database, slot);
    } catch (error) {
      // The slot ends with its lease. The result of the upload must not depend on it.
      log.warn({ err: error }, 'an upload slot could not be freed');
    }
  };

  const holdSlot: UploadSlots['hold'] = async (accountId, work, progress = () => undefined) => {
    const wanted = { accountId, count: perAccount, holder: randomUUID() };
    const slot = await takeUploadSlot(database, wanted, leaseMs);
    if (slot === undefined) throw tooManyUploads(perAccount);
    add(slot, progress);
    // By the end of the lease the slot is free in any case.
    let patienceMs = leaseMs;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal)) patienceMs = FREEING_AFTER_FAILURE_MS;
      throw error;
    } finally {
      await withinDeadline(free(slot), patienceMs).catch(() => {});
    }
  };

  const memory = new Shares(SMALL_BODIES);

  return {
    async holdMemory(accountId, bytes, work) {
      const amount = REST_BYTES + bytes;
      const giveBack = memory.take(accountId, amount);
      if (giveBack === undefined) {
        throw memory.takenBy(accountId) + amount > SMALL_BODIES.perOwner ? tooManySmall() : tooBusy();
      }
      return work().finally(giveBack);
    },
    async hold(accountId, work, progress) {
      if (underWay >= perProcess) throw tooBusy();
      underWay++;
      return holdSlot(accountId, work, progress).finally(() => underWay--);
    },
  };
}

function tooBusy(): Refusal {
  const message = 'The service already runs as many uploads as it can. Try again in a moment.';
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooManyUploads(perAccount: number): Refusal {
  const message = `This account already has ${perAccount} uploads under way, which is the limit. Try again when one of them has ended.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooManySmall(): Refusal {
  const message =
    'This account already has as many small uploads under way as it may. Try again when one of them has ended.';
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
