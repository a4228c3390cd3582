/**
 * Fails a body that takes too long in all, pauses for too long, or comes too slowly over a window. Pauses and slowness
 * count only while we wait for the client, so a slow store costs no client its upload. The rate counts decompressed
 * bytes, so compression does not make a client look slow.
 */
import { Refusal } from '../../platform/refusal.ts';

export interface PaceLimits {
  /** The limit of the whole body, whatever the reason for the delay. */
  readonly timeoutMs: number;
  /** The slowest pace that a client may have. Without a minimum, only `timeoutMs` applies. */
  readonly minimum?: {
    /** How long a client may be silent. The rate is measured over a window of this length. */
    readonly stallTimeoutMs: number;
    readonly bytesPerSecond: number;
  };
}

const CHECK_MS = 1000;

export class Pace implements Disposable {
  /** Whether we wait for the client. */
  isWaiting = false;
  /** Whether our side still works on earlier bytes and does not read. This time does not count against the client. */
  isHeldUp = false;
  readonly #limits: PaceLimits;
  readonly #fail: (refusal: Refusal) => void;
  readonly #startedAt = performance.now();
  readonly #timer = setInterval(() => this.#check(), CHECK_MS);
  #receivedBytes = 0;
  #silentMs = 0;
  /** The time that we waited for the client in the current window. `#windowBytes` has the decompressed bytes of the window. */
  #waitedMs = 0;
  #windowBytes = 0;

  constructor(limits: PaceLimits, fail: (refusal: Refusal) => void) {
    this.#limits = limits;
    this.#fail = fail;
  }

  /** Counts bytes as they were sent. */
  received(bytes: number): void {
    this.#receivedBytes += bytes;
    this.#silentMs = 0;
  }

  decompressed(bytes: number): void {
    this.#windowBytes += bytes;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { timeoutMs, minimum } = this.#limits;
    if (performance.now() - this.#startedAt > timeoutMs)
      this.#fail(tooLong(this.#receivedBytes, this.#limits));
    if (minimum === undefined || !this.isWaiting || this.isHeldUp) return;
    this.#silentMs += CHECK_MS;
    this.#waitedMs += CHECK_MS;
    if (this.#silentMs >= minimum.stallTimeoutMs)
      this.#fail(stalled(this.#receivedBytes, minimum.stallTimeoutMs));
    if (this.#waitedMs < minimum.stallTimeoutMs) return;
    if (this.#windowBytes * 1000 < minimum.bytesPerSecond * this.#waitedMs) {
      this.#fail(tooSlow(this.#windowBytes, this.#waitedMs, minimum.bytesPerSecond));
    }
    this.#waitedMs = 0;
    this.#windowBytes = 0;
  }
}

function tooLong(bytes: number, { timeoutMs, minimum }: PaceLimits): Refusal {
  const setting = minimum === undefined ? '' : ' (UPLOAD_TIMEOUT_MS)';
  return timedOut(
    `is not complete after ${seconds(timeoutMs)}, with ${bytes} bytes; the limit is ${seconds(timeoutMs)}${setting}`,
  );
}

function stalled(bytes: number, stallTimeoutMs: number): Refusal {
  const time = seconds(stallTimeoutMs);
  return timedOut(
    `stalled: after ${bytes} bytes nothing came for ${time}; pauses must be shorter than ${time} (UPLOAD_STALL_TIMEOUT_MS)`,
  );
}

function tooSlow(bytes: number, waitedMs: number, bytesPerSecond: number): Refusal {
  return timedOut(
    `came too slowly: ${bytes} bytes, decompressed, in ${seconds(waitedMs)}; ` +
      `the minimum is ${bytesPerSecond} bytes a second (UPLOAD_MIN_BYTES_PER_SECOND)`,
  );
}

function timedOut(problem: string): Refusal {
  return new Refusal('REQUEST_TIMEOUT', `The request body ${problem}.`);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
