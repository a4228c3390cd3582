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
import { KeyRing, SealError } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { type HeldLease, holdLeases } from '../../platform/postgres/hold-lease.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Secret } from '../../platform/secret.ts';
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

const KEY_ID = 'answer';
/** The largest answer: a refusal lists up to 100 violations, and JSON may write 256 characters of a value as 1.5 kB. */
const MAX_ANSWER_BYTES = 256 * 1024;

type Subject = Pick<Claim, 'accountId' | 'request'>;

/**
 * Seals a recorded answer, because answers about webhooks contain secrets, and answers of other routes may contain secrets later. Each
 * request id has a key of its own, which is derived from the secret of all API processes. So the limit of a key (platform/key-ring.ts) does
 * not limit the number of answers.
 */
function sealAnswer(secret: Secret, { accountId, request }: Subject, answer: string): string {
  const bytes = Buffer.from(answer);
  if (bytes.length > MAX_ANSWER_BYTES) throw new Error(`an answer of ${bytes.length} bytes is not kept`);
  const subject = [accountId, request];
  return ringFor(secret, subject).seal(bytes, subject).bytes;
}

/** Opens a sealed answer. Throws Refusal CONFLICT after a change of the secret. */
function openAnswer(secret: Secret, { accountId, request }: Subject, sealed: string): string {
  const subject = [accountId, request];
  try {
    return ringFor(secret, subject).open({ keyId: KEY_ID, bytes: sealed }, subject).toString();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const message =
      'This request was done before. Its answer can no longer be read, because the service has a new secret.';
    throw new Refusal('CONFLICT', message);
  }
}

function ringFor(secret: Secret, subject: readonly string[]): KeyRing {
  const key = secret.derive(`waypost answers ${subject.join(' ')}`);
  return new KeyRing(`${KEY_ID}:${key.toString('base64')}`);
}
