/**
 * How many uploads of an account may be under way at once, over all processes, and how many of all accounts in this
 * one. Each holds a slot in Postgres on a lease, which its process renews while the upload lasts; the slots of a process
 * that died are free again when their leases have ended (docs/decisions/0014).
 */
import { randomUUID } from 'node:crypto';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { freeUploadSlot, renewUploadSlots, takeUploadSlot, type UploadSlot } from './upload-slot-store.ts';

export interface UploadSlots {
  /**
   * Does `work` in a slot, which is free again when the promise settles, or soon after where it fails. Throws Refusal
   * RATE_LIMIT_EXCEEDED, and does nothing, when the account has no free slot or the process has no room.
   */
  hold<Result>(accountId: string, work: () => Promise<Result>): Promise<Result>;
}

export interface UploadSlotsOptions {
  readonly perAccount: number;
  /** Of all accounts, in this process alone. */
  readonly perProcess: number;
  readonly log: Log;
  readonly leaseMs?: number;
}

/** Short, for it is how long a customer may be kept waiting by a process that died, or that Postgres did not hear. */
const LEASE_MS = 5000;
/** Two of them in a row may fail before the lease ends. */
const RENEWALS_PER_LEASE = 4;
/** How long the answer to a failure waits for the slot to be free: Postgres may be why it failed. */
const FREEING_AFTER_FAILURE_MS = 200;
/** Uploads are seconds to hours: soon enough to be worth a wait. */
const RETRY_AFTER_SECONDS = 5;

export function createUploadSlots(
  database: Database,
  { perAccount, perProcess, log, leaseMs = LEASE_MS }: UploadSlotsOptions,
): UploadSlots {
  const held = new Set<UploadSlot>();
  /** From before a slot is asked for. */
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  /** One at a time, so that it is known what a slot that is freed must wait for. */
  let renewal: Promise<void> | undefined;

  const renew = () => {
    // Should it fail for long, the account may begin more uploads than its limit: better than to break these off.
    renewal ??= renewUploadSlots(database, [...held], leaseMs)
      .catch((error) => log.warn({ err: error }, 'upload slots could not be renewed'))
      .finally(() => {
        renewal = undefined;
      });
  };
  const add = (slot: UploadSlot) => {
    held.add(slot);
    timer ??= setInterval(renew, leaseMs / RENEWALS_PER_LEASE);
  };
  const free = async (slot: UploadSlot) => {
    held.delete(slot);
    if (held.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    // One that is under way would take the slot again.
    await renewal;
    try {
      await freeUploadSlot(database, slot);
    } catch (error) {
      // It ends with its lease; what came of the upload must not depend on it.
      log.warn({ err: error }, 'an upload slot could not be freed');
    }
  };

  const holdSlot: UploadSlots['hold'] = async (accountId, work) => {
    const wanted = { accountId, count: perAccount, holder: randomUUID() };
    const slot = await takeUploadSlot(database, wanted, leaseMs);
    if (slot === undefined) throw tooManyUploads(perAccount);
    add(slot);
    // By then it is free in any case.
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

  return {
    async hold(accountId, work) {
      if (underWay >= perProcess) throw tooBusy();
      underWay++;
      return holdSlot(accountId, work).finally(() => underWay--);
    },
  };
}

function tooBusy(): Refusal {
  const message =
    'As many uploads are under way as are taken at once, of all accounts. Try again in a moment.';
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooManyUploads(perAccount: number): Refusal {
  const message = `This account has ${perAccount} uploads under way, and no more are taken at once. Try again when one of them has ended.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
