/** Limits the bytes that uploads, or deltas, hold in memory, per account and in total for this process. */
import { Shares } from '../../platform/concurrency/shares.ts';

const MiB = 1024 * 1024;

/** 16 MiB hold the deflated XML of about 1.5 million plain entries, or of about 700,000 entries with their hashes of 12 bytes each. */
const UPLOADS: HoldLimits = { perAccount: 16 * MiB, inAll: 64 * MiB };

export interface HoldLimits {
  readonly perAccount: number;
  readonly inAll: number;
  /** As in `Shares`: leaves room for the next account, if all take as much as possible. */
  readonly partOfFree?: number;
}

/** The share of one upload. */
export interface HeldBytes {
  /** Returns false and takes nothing when there is no room. */
  take(bytes: number): boolean;
  /** Gives back all bytes that were taken. */
  release(): void;
}

export class HoldBudget {
  readonly #bytes: Shares;

  constructor({ perAccount, ...limits } = UPLOADS) {
    this.#bytes = new Shares({ perOwner: perAccount, ...limits });
  }

  /** The sum over all accounts. */
  get heldBytes(): number {
    return this.#bytes.taken;
  }

  open(accountId: string): HeldBytes {
    const held: (() => void)[] = [];
    return {
      take: (bytes) => {
        const release = this.#bytes.take(accountId, bytes);
        if (release !== undefined) held.push(release);
        return release !== undefined;
      },
      release: () => {
        for (const release of held.splice(0)) release();
      },
    };
  }
}
