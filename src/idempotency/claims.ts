/**
 * The claims of this process on Idempotency-Keys:
 *
 * ```
 * free ──take──▶ under way ──record──▶ answered ──a day──▶ free
 *                    └──free, or the lease ends──▶ free
 * ```
 *
 * A claim under way has a lease. Its process renews it while the request lasts, so the key of a dead process is free after
 * LEASE_MS. A request that lost its claim cannot record its answer, and the transaction that wanted to is rolled back.
 */
import { randomUUID } from 'node:crypto';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { type Repetition, repeat } from '../platform/concurrency/repeat.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import type { Secret } from '../platform/secret.ts';
import { type AnswerSeal, createAnswerSeal } from './answer-seal.ts';
import {
  type Claim,
  findClaim,
  freeClaim,
  type RecordedAnswer,
  recordAnswer,
  renewClaims,
  takeClaim,
} from './claim-store.ts';

/** `text`: the body. `digest` and `bodyBytes`: of the request, as in web/request-digest.ts. */
interface KeptAnswer {
  readonly status: number;
  readonly text: string;
  readonly digest: Buffer;
  readonly bodyBytes: number | null;
}

/** At the end of the scope the lease is no longer renewed. */
export interface HeldClaim extends Disposable {
  /** Returns false when the claim is lost: its lease ended, and another request took the key. */
  record(queryable: Queryable, answer: KeptAnswer): Promise<boolean>;
  /** The key is free again, unless its answer is recorded. Waits at most this long: at the latest, its lease ends. */
  free(patienceMs: number): Promise<void>;
}

export interface FormerAnswer extends Omit<KeptAnswer, 'text'> {
  /** Returns the text. Throws SealError, as after a change of the secret. */
  open(): string;
}

export interface Claims {
  /** `request`: as `requestIdOf` makes it. `under way`: another request has the key. */
  take(accountId: string, request: string): Promise<HeldClaim | 'under way' | FormerAnswer>;
  /** The same without taking it. Undefined: it is free. */
  find(accountId: string, request: string): Promise<'under way' | FormerAnswer | undefined>;
}

export interface ClaimsOptions {
  readonly database: Database;
  /** All API processes have the same. */
  readonly secret: Secret;
  readonly log: Log;
  readonly leaseMs?: number;
}

/**
 * A client whose server died can send its request again after this time. A late renewal is harmless until it does.
 */
const LEASE_MS = 10_000;
/** Two renewals in a row may fail before the lease ends. */
const RENEWALS_PER_LEASE = 4;

export function createClaims({ database, secret, log, leaseMs = LEASE_MS }: ClaimsOptions): Claims {
  const seal = createAnswerSeal(secret);
  const held = new Set<Claim>();
  let renewals: Repetition | undefined;

  const renew = () =>
    renewClaims(database, [...held], leaseMs).catch((error) => {
      log.warn({ err: error }, 'claims on idempotency keys could not be renewed');
    });
  const hold = (claim: Claim): HeldClaim => {
    held.add(claim);
    renewals ??= repeat(renew, leaseMs / RENEWALS_PER_LEASE);
    return holdClaim(database, seal, claim, () => {
      held.delete(claim);
      if (held.size > 0) return;
      void renewals?.stop();
      renewals = undefined;
    });
  };

  const former = (request: Pick<Claim, 'accountId' | 'request'>, { sealed, ...answer }: RecordedAnswer) => ({
    ...answer,
    open: () => seal.open(request, sealed),
  });

  return {
    async take(accountId, request) {
      const claim = { accountId, request, holder: randomUUID() };
      const taken = await takeClaim(database, claim, leaseMs);
      if (taken === 'taken') return hold(claim);
      if (taken === 'under way') return taken;
      return former(claim, taken);
    },
    async find(accountId, request) {
      const found = await findClaim(database, accountId, request);
      return found === undefined || found === 'under way' ? found : former({ accountId, request }, found);
    },
  };
}

function holdClaim(database: Database, seal: AnswerSeal, claim: Claim, end: () => void): HeldClaim {
  return {
    record: (queryable, { text, ...answer }) =>
      recordAnswer(queryable, claim, { ...answer, sealed: seal.seal(claim, text) }),
    async free(patienceMs) {
      end();
      // If this fails, the lease ends by itself.
      await withinDeadline(freeClaim(database, claim), patienceMs).catch(() => {});
    },
    [Symbol.dispose]: end,
  };
}
