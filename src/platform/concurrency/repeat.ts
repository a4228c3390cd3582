/** Repeats work until it is stopped. */
export interface Repetition {
  /** Waits for the work under way. Afterwards, the caller may close the resources that the work uses. */
  stop(): Promise<void>;
}

/** Begins `work` every `everyMs`, for the first time after `everyMs`. `work` must not reject. */
export function repeat(work: () => Promise<void>, everyMs: number): Repetition {
  const underWay = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const working = work().finally(() => underWay.delete(working));
    underWay.add(working);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
