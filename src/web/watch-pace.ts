/**
 * Fails a body that takes too long in all, that pauses for too long, or that comes too slowly over a while. Only the time
 * spent waiting for the client counts as its pauses and its slowness: a store that slows us down costs no client its
 * upload. The rate is that of decompressed bytes, so that compression slows nobody down.
 */
import { Refusal } from '../platform/refusal.ts';

export interface PaceLimits {
  /** For the whole body, whoever is slow. */
  readonly timeoutMs: number;
  /** Without it nothing but `timeoutMs` counts. */
  readonly minimum?: {
    /** How long a body may send nothing at all; also the window over which its rate is measured. */
    readonly stallTimeoutMs: number;
    readonly bytesPerSecond: number;
  };
}

const CHECK_MS = 1000;

export class Pace implements Disposable {
  /** While we wait for the client. */
  isWaiting = false;
  readonly #limits: PaceLimits;
  readonly #fail: (refusal: Refusal) => void;
  readonly #startedAt = performance.now();
  readonly #timer = setInterval(() => this.#check(), CHECK_MS);
  #receivedBytes = 0;
  #silentMs = 0;
  /** Of the window: the time we waited, and the decompressed bytes that came. */
  #waitedMs = 0;
  #windowBytes = 0;

  constructor(limits: PaceLimits, fail: (refusal: Refusal) => void) {
    this.#limits = limits;
    this.#fail = fail;
  }

  /** Bytes as they were sent. */
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
    if (minimum === undefined || !this.isWaiting) return;
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
    `is not complete after ${seconds(timeoutMs)}, with ${bytes} bytes; it may take ${seconds(timeoutMs)}${setting}`,
  );
}

function stalled(bytes: number, stallTimeoutMs: number): Refusal {
  const time = seconds(stallTimeoutMs);
  return timedOut(
    `stalled: after ${bytes} bytes nothing came for ${time}; it may pause for less than ${time} (UPLOAD_STALL_TIMEOUT_MS)`,
  );
}

function tooSlow(bytes: number, waitedMs: number, bytesPerSecond: number): Refusal {
  return timedOut(
    `came too slowly: ${bytes} bytes, decompressed, in ${seconds(waitedMs)}; ` +
      `at least ${bytesPerSecond} bytes a second are wanted (UPLOAD_MIN_BYTES_PER_SECOND)`,
  );
}

function timedOut(problem: string): Refusal {
  return new Refusal('REQUEST_TIMEOUT', `The request body ${problem}.`);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
