/**
 * Limits concurrent uploads, and parts of upload sessions: per account across all processes, and over all accounts in this process. Each
 * upload or part holds a slot in Postgres on a lease, and its process renews the lease. If the process dies, the lease ends and the slot is
 * free again (docs/decisions/0014). Small uploads and previews need no slot: this process counts the memory of their bodies.
 */
import { randomUUID } from 'node:crypto';
import { withinDeadline } from '../../platform/concurrency/deadline.ts';
import { Shares } from '../../platform/concurrency/shares.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { holdLeases } from '../../platform/postgres/hold-lease.ts';
import { Refusal } from '../../platform/refusal.ts';
import { freeUploadSlot, renewUploadSlots, takeUploadSlot, type UploadSlot } from './upload-slot-store.ts';

/** Parts of upload sessions have slots of their own, because many writers send them at once. */
export type SlotKind = 'upload' | 'part';

/** The number of the first slot for parts. An account has at most 1,000 for uploads (`UPLOADS_PER_ACCOUNT`). */
export const FIRST_PART_SLOT = 1001;
/** The most parts of an account that are under way, over all processes. */
const PARTS_PER_ACCOUNT = 64;
/**
 * The parts of an account take at most this fraction of the free places of a process. Otherwise the parts of four accounts can take
 * all places, and keep out the uploads of all others.
 */
const PARTS_OF_FREE = 1 / 2;

export type UploadSlots = ReturnType<typeof createUploadSlots>;

export interface UploadSlotsOptions {
  readonly perAccount: number;
  /** The most uploads of all accounts together, in this process. */
  readonly perProcess: number;
  readonly log: Log;
  readonly leaseMs?: number;
}

/**
 * The memory of the bodies of concurrent small uploads: with their files, some 128 MiB in all. Slow uploads hold memory for up to
 * a minute, and a few accounts must not keep out all others.
 */
export const SMALL_BODIES = {
  inAll: 64 * 1024 * 1024,
  perOwner: 16 * 1024 * 1024,
  // An account that is alone can still take all of its 16 MiB: then 48 MiB are free, and 16 MiB are a third of 48 MiB.
  partOfFree: 1 / 3,
};
/** The memory of a small upload besides its body: its request and its attempt. */
const REST_BYTES = 8 * 1024;

/** The lease is short: if a process dies or cannot reach Postgres, its customers wait this long for a slot. */
const LEASE_MS = 5000;
/** The longest time that the answer to a failed upload waits for its slot to be freed. Postgres may be the cause of the failure. */
const FREEING_AFTER_FAILURE_MS = 200;
/** The retry time of refused uploads. Uploads take seconds to hours, so some of them soon end. */
const RETRY_AFTER_SECONDS = 5;

export function createUploadSlots(
  database: Database,
  { perAccount, perProcess, log, leaseMs = LEASE_MS }: UploadSlotsOptions,
) {
  /** The uploads and parts of this process, also those that are still asking for a slot. */
  const places = new Shares({
    inAll: perProcess,
    perOwner: perProcess,
    // A process with a single place takes parts, too.
    partOfFree: Math.max(PARTS_OF_FREE, 1 / perProcess),
  });

  // No upload checks its lease. If renewals keep failing, the account may exceed its limit. An aborted upload is worse than this excess.
  const holdLease = holdLeases<UploadSlot & { readonly progress: () => object | undefined }>({
    lengthMs: leaseMs,
    renew: (held) => {
      const slots = held.map((slot) => ({ ...slot, progress: slot.progress() }));
      return renewUploadSlots(database, slots, leaseMs);
    },
    // The result of the upload must not depend on the release of its slot.
    release: (slot) =>
      freeUploadSlot(database, slot).catch((err) => log.warn({ err }, 'an upload slot could not be freed')),
    onFailure: (err) => log.warn({ err }, 'upload slots could not be renewed'),
  });

  const slotsOf = {
    upload: { first: 1, count: perAccount, name: 'uploads' },
    part: { first: FIRST_PART_SLOT, count: PARTS_PER_ACCOUNT, name: 'parts of upload sessions' },
  } satisfies Record<SlotKind, object>;

  const holdSlot = async <Result>(
    accountId: string,
    work: () => Promise<Result>,
    progress: () => object | undefined,
    kind: SlotKind,
  ): Promise<Result> => {
    const { first, count, name } = slotsOf[kind];
    const slot = await takeUploadSlot(database, { accountId, first, count, holder: randomUUID() }, leaseMs);
    if (slot === undefined) {
      throw atLimit(
        `This account already has ${count} ${name} under way, which is the limit. Try again when one of them has ended.`,
      );
    }
    const lease = holdLease({ ...slot, progress });
    // The wait for the release may end too early. The slot is free at the latest when the lease ends.
    let patienceMs = leaseMs;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal)) patienceMs = FREEING_AFTER_FAILURE_MS;
      throw error;
    } finally {
      await withinDeadline(lease.release(), patienceMs).catch(() => {});
    }
  };

  return {
    /**
     * Runs the work of a small upload. The upload takes memory for its body in place of a slot, and reports no progress. Throws Refusal
     * RATE_LIMIT_EXCEEDED, without running `work`, when there is no memory for the body.
     */
    holdMemory: memoryOf('small uploads'),
    /** Does the same for a preview. Previews have memory of their own, because a slow one holds some megabytes for minutes. */
    holdPreview: memoryOf('previews'),
    /**
     * Runs `work` in a slot. The slot is free when the promise settles. After a failure it may be free a little later. Throws Refusal
     * RATE_LIMIT_EXCEEDED, without running `work`, when the account has no free slot or the process has no room. `progress`: returns the
     * progress of the work, which other processes see at each renewal of the lease.
     */
    async hold<Result>(
      accountId: string,
      work: () => Promise<Result>,
      progress: () => object | undefined = () => undefined,
      kind: SlotKind = 'upload',
    ): Promise<Result> {
      // An account has few uploads, so only its parts have a share.
      const giveBack = places.take(kind === 'part' ? accountId : undefined);
      if (giveBack === undefined) throw atLimit(TOO_BUSY);
      return holdSlot(accountId, work, progress, kind).finally(giveBack);
    },
  };
}

function memoryOf(kind: string) {
  const memory = new Shares(SMALL_BODIES);
  return async <Result>(accountId: string, bytes: number, work: () => Promise<Result>): Promise<Result> => {
    const amount = REST_BYTES + bytes;
    const giveBack = memory.take(accountId, amount);
    if (giveBack === undefined) {
      throw atLimit(memory.takenBy(accountId) + amount > SMALL_BODIES.perOwner ? tooMany(kind) : TOO_BUSY);
    }
    return work().finally(giveBack);
  };
}

const TOO_BUSY = 'The service already runs as many uploads as it can. Try again in a moment.';
const tooMany = (kind: string) =>
  `This account already has as many ${kind} under way as it may. Try again when one of them has ended.`;

function atLimit(message: string): Refusal {
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
