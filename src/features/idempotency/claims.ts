/**
 * The claims of this process on Idempotency-Keys:
 *
 * ```
 * free ──take──▶ under way ──record──▶ answered ──a day──▶ free
 *                    └──free, or the lease ends──▶ free
 * ```
 *
 * A claim under way has a lease. Its process renews the lease while the request lasts, so the key of a dead process is free within
 * LEASE_MS. A request that lost its claim cannot record its answer, and its transaction is rolled back.
 */
import { randomUUID } from 'node:crypto';
import { withinDeadline } from '../../platform/concurrency/deadline.ts';
import type { Log } from '../../platform/log.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { type HeldLease, holdLeases } from '../../platform/postgres/hold-lease.ts';
import type { Secret } from '../../platform/secret.ts';
import { openAnswer, sealAnswer } from './answer-seal.ts';
import {
  type Claim,
  findClaim,
  freeClaim,
  type RecordedAnswer,
  recordAnswer,
  renewClaims,
  takeClaim,
} from './claim-store.ts';

/** An answer to keep: `text` is its body. `digest` and `bodyBytes` describe the request, as in core/web/request-digest.ts. */
interface KeptAnswer extends Omit<RecordedAnswer, 'sealed'> {
  readonly text: string;
}

/** A claim of this process. The process renews the lease until the end of the scope. */
export interface HeldClaim extends Disposable {
  /**
   * Records the answer: in the transaction of the change, or alone if there is none. Returns false when the claim is lost: its lease ended,
   * and another request took the key or the row was deleted.
   */
  record(transaction: Queryable | undefined, answer: KeptAnswer): Promise<boolean>;
  /** Frees the key, unless its answer is recorded. Waits at most `patienceMs`. If the key is not freed, its lease runs out. */
  free(patienceMs: number): Promise<void>;
}

export interface FormerAnswer extends Omit<RecordedAnswer, 'sealed'> {
  /** Returns the text of the answer. Throws Refusal CONFLICT after a change of the secret. */
  open(): string;
}

export interface Claims {
  /**
   * Takes the key. `request`: the id from `requestIdOf`. Returns `under way` when another request has the key, or the answer that was
   * recorded with the key.
   */
  take(accountId: string, request: string): Promise<HeldClaim | 'under way' | FormerAnswer>;
  /** Returns the state of a key, and does not take the key. Undefined: the key is free. */
  find(accountId: string, request: string): Promise<'under way' | FormerAnswer | undefined>;
}

interface ClaimsOptions {
  readonly database: Database;
  /** The secret that all API processes share. */
  readonly secret: Secret;
  readonly log: Log;
  readonly leaseMs?: number;
}

/** When a process dies, a client can send its request again after this time. A late renewal takes no key from another request. */
const LEASE_MS = 10_000;

export function createClaims({ database, secret, log, leaseMs = LEASE_MS }: ClaimsOptions): Claims {
  const hold = holdLeases<Claim>({
    lengthMs: leaseMs,
    renew: (claims) => renewClaims(database, claims, leaseMs),
    onFailure: (err) => log.warn({ err }, 'claims on idempotency keys could not be renewed'),
  });

  const former = (request: Pick<Claim, 'accountId' | 'request'>, { sealed, ...answer }: RecordedAnswer) => ({
    ...answer,
    open: () => openAnswer(secret, request, sealed),
  });

  return {
    async take(accountId, request) {
      const claim = { accountId, request, holder: randomUUID() };
      const taken = await takeClaim(database, claim, leaseMs);
      if (taken === 'taken') return heldClaim(database, secret, claim, hold(claim));
      if (taken === 'under way') return taken;
      return former(claim, taken);
    },
    async find(accountId, request) {
      const found = await findClaim(database, accountId, request);
      return found === undefined || found === 'under way' ? found : former({ accountId, request }, found);
    },
  };
}

function heldClaim(database: Database, secret: Secret, claim: Claim, lease: HeldLease): HeldClaim {
  return {
    record: (transaction = database, { text, ...answer }) =>
      recordAnswer(transaction, claim, { ...answer, sealed: sealAnswer(secret, claim, text) }),
    async free(patienceMs) {
      const freed = lease.release().then(() => freeClaim(database, claim));
      // If the deletion fails, the lease runs out.
      await withinDeadline(freed, patienceMs).catch(() => {});
    },
    [Symbol.dispose]: () => void lease.release(),
  };
}
