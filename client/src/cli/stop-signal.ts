/** Ctrl+C and SIGTERM abort the request under way. The same signal again ends the program at once. */
const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

export class Stopped extends Error {
  /** By the convention of shells: 128 and the number of the signal, so 130 for Ctrl+C. */
  readonly exitCode: number;

  constructor(signal: keyof typeof NUMBERS) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + NUMBERS[signal];
  }
}

/** Returns a signal that aborts with a Stopped as its reason. */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Stopped(signal)));
  }
  return controller.signal;
}
