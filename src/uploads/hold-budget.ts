/** How many bytes of fragments uploads may hold back at once: of an account, and of all in this process. */
import { Shares } from '../platform/concurrency/shares.ts';

const MiB = 1024 * 1024;

/** Of deflated XML: some 1.5 million plain entries. */
const PER_ACCOUNT_BYTES = 16 * MiB;
const IN_ALL_BYTES = 64 * MiB;

/** What one upload holds of it. */
export interface HeldBytes {
  /** Takes so many more; false, and takes nothing, where there is no room. */
  take(bytes: number): boolean;
  /** Gives back all that was taken. */
  release(): void;
}

export class HoldBudget {
  readonly #bytes: Shares;

  constructor(perAccountBytes = PER_ACCOUNT_BYTES, inAllBytes = IN_ALL_BYTES) {
    this.#bytes = new Shares({ inAll: inAllBytes, perOwner: perAccountBytes });
  }

  /** Of all accounts. */
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
