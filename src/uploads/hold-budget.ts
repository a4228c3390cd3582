/** How many bytes of fragments uploads may hold back at once: of an account, and of all in this process. */
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
  readonly #perAccountBytes: number;
  readonly #inAllBytes: number;
  readonly #heldBytes = new Map<string, number>();
  #sumBytes = 0;

  constructor(perAccountBytes = PER_ACCOUNT_BYTES, inAllBytes = IN_ALL_BYTES) {
    this.#perAccountBytes = perAccountBytes;
    this.#inAllBytes = inAllBytes;
  }

  /** Of all accounts. */
  get heldBytes(): number {
    return this.#sumBytes;
  }

  open(accountId: string): HeldBytes {
    let taken = 0;
    return {
      take: (bytes) => {
        if (!this.#hasRoomFor(accountId, bytes)) return false;
        this.#add(accountId, bytes);
        taken += bytes;
        return true;
      },
      release: () => {
        this.#add(accountId, -taken);
        taken = 0;
      },
    };
  }

  #hasRoomFor(accountId: string, bytes: number): boolean {
    const ofAccount = this.#heldBytes.get(accountId) ?? 0;
    return ofAccount + bytes <= this.#perAccountBytes && this.#sumBytes + bytes <= this.#inAllBytes;
  }

  #add(accountId: string, bytes: number): void {
    const held = (this.#heldBytes.get(accountId) ?? 0) + bytes;
    if (held === 0) this.#heldBytes.delete(accountId);
    else this.#heldBytes.set(accountId, held);
    this.#sumBytes += bytes;
  }
}
