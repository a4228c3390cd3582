/**
 * Limits the batches of an account that are read but not rendered yet. V8 promotes batches that wait for long to its old generation, and
 * each megabyte there brings the next major garbage collection nearer.
 */
export class BatchWindow {
  readonly #most: number;
  /** The number of batches that each account has under way. */
  readonly #underWay = new Map<string, number>();
  #waiting: (() => void)[] = [];

  /** When an account has `most` batches under way, an upload reads its next batch only if it has no batch under way itself. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Opens the share of an upload. The caller closes it, because some batches that are read may never be rendered. */
  open(accountId: string): WindowShare {
    let own = 0;
    let isOpen = true;
    const ofAccount = () => this.#underWay.get(accountId) ?? 0;
    const add = (count: number) => {
      if (!isOpen) return;
      own += count;
      const all = ofAccount() + count;
      if (all === 0) this.#underWay.delete(accountId);
      else this.#underWay.set(accountId, all);
      if (count <= 0) this.#wake();
    };
    return {
      begin: () => add(1),
      end: () => add(-1),
      mayRead: async () => {
        while (isOpen && own > 0 && ofAccount() >= this.#most) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
      },
      close: () => {
        add(-own);
        isOpen = false;
      },
    };
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

export interface WindowShare {
  /** Call this when a batch is read. */
  begin(): void;
  /** Call this when a batch is rendered, or has failed. */
  end(): void;
  /** Waits until the upload may read its next batch. */
  mayRead(): Promise<void>;
  /** Call this when the upload needs no further batch. */
  close(): void;
}
