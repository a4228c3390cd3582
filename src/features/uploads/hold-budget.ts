/** Limits the bytes that uploads, or deltas, hold in memory, per account and in total for this process. */
import { Shares } from '../../platform/concurrency/shares.ts';

const MiB = 1024 * 1024;

/** 16 MiB hold the deflated XML of about 1.5 million plain entries, or of about 700,000 entries with their hashes of 12 bytes each. */
const PER_ACCOUNT_BYTES = 16 * MiB;
const IN_ALL_BYTES = 64 * MiB;

/** The share of one upload. */
export interface HeldBytes {
  /** Returns false and takes nothing when there is no room. */
  take(bytes: number): boolean;
  /** Gives back all bytes that were taken. */
  release(): void;
}

export class HoldBudget {
  readonly #bytes: Shares;

  constructor(perAccountBytes = PER_ACCOUNT_BYTES, inAllBytes = IN_ALL_BYTES) {
    this.#bytes = new Shares({ inAll: inAllBytes, perOwner: perAccountBytes });
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
