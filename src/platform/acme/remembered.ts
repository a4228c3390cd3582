/** Fetches a result once for all callers, and again after `forMs`. A failure is not remembered. */
export class Remembered<Result> {
  readonly #fetch: () => Promise<Result>;
  readonly #forMs: number;
  #latest: { readonly result: Promise<Result>; readonly since: number } | undefined;

  constructor(fetch: () => Promise<Result>, forMs = Number.POSITIVE_INFINITY) {
    this.#fetch = fetch;
    this.#forMs = forMs;
  }

  get(): Promise<Result> {
    const now = performance.now();
    if (this.#latest !== undefined && now - this.#latest.since < this.#forMs) return this.#latest.result;
    const latest = { result: this.#fetch(), since: now };
    this.#latest = latest;
    latest.result.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest.result;
  }

  forget(): void {
    this.#latest = undefined;
  }
}
