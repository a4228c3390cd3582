/** Ctrl+C and SIGTERM end an upload in order: the request is cut, so nothing is published. A second one ends at once. */
const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

export class Stopped extends Error {
  /** As shells count: 130 for Ctrl+C. */
  readonly exitCode: number;

  constructor(signal: keyof typeof NUMBERS) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + NUMBERS[signal];
  }
}

/** Aborts with a Stopped. */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Stopped(signal)));
  }
  return controller.signal;
}
