/**
 * Limits how many clients read lists at once. While there is room, a client may read as slowly as it likes. Without room, a new client
 * takes the place of the client that has been slow for the longest time. If no client is slow, the new client is refused.
 */
import { Shares } from '../../platform/concurrency/shares.ts';

export interface ListReader {
  /** Returns the bytes that the client, or the operating system on its behalf, has taken. */
  taken(): number;
  /** Returns whether we wait for the client. */
  isWaiting(): boolean;
  /** Ends the answer of the reader. */
  cut(): void;
}

export interface ListReadersOptions {
  readonly inAll: number;
  readonly perOwner: number;
  /** A reader is slow if we wait for it, and it takes less than this during a window. */
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
}

interface Place {
  readonly reader: ListReader;
  readonly leave: () => void;
  takenBefore: number;
  /** The number of slow windows in a row. */
  slowFor: number;
}

export class ListReaders {
  readonly #options: ListReadersOptions;
  readonly #shares: Shares;
  readonly #places = new Set<Place>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ListReadersOptions) {
    this.#options = options;
    this.#shares = new Shares(options);
  }

  /** Admits a reader. Returns a function that gives the place back; undefined if there is no room, or none for this owner. */
  enter(owner: string, reader: ListReader): (() => void) | undefined {
    const isFull = this.#shares.taken >= this.#options.inAll;
    if (isFull && this.#shares.takenBy(owner) < this.#options.perOwner) this.#cutSlowest();
    const giveBack = this.#shares.take(owner);
    if (giveBack === undefined) return undefined;
    const leave = () => {
      giveBack();
      this.#places.delete(place);
      if (this.#places.size === 0) this.#stopWatching();
    };
    const place: Place = { reader, leave, takenBefore: 0, slowFor: 0 };
    this.#places.add(place);
    this.#timer ??= setInterval(() => this.#watch(), this.#options.windowMs).unref();
    return leave;
  }

  #stopWatching(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    const { minBytesPerSecond, windowMs } = this.#options;
    for (const place of this.#places) {
      const taken = place.reader.taken();
      const isSlow =
        place.reader.isWaiting() && taken - place.takenBefore < (minBytesPerSecond * windowMs) / 1000;
      place.slowFor = isSlow ? place.slowFor + 1 : 0;
      place.takenBefore = taken;
    }
  }

  #cutSlowest(): void {
    const [slowest] = [...this.#places].sort(
      (one, other) => other.slowFor - one.slowFor || one.takenBefore - other.takenBefore,
    );
    if (slowest === undefined || slowest.slowFor === 0) return;
    slowest.reader.cut();
    // The cut reader gives its place up now, because the new reader takes the place before the cut answer has ended.
    slowest.leave();
  }
}
