/**
 * The life of a process: it starts, runs until it is told to stop, and closes in reverse what it opened.
 *
 * Exit codes: 0 after SIGTERM or SIGINT, 78 for a problem that its owner must solve, 1 for any other failure.
 */
import { once } from 'node:events';
import { ConfigError, EXIT_CONFIG } from './config-error.ts';
import { printError } from './print.ts';

/** What ended this process is told already, by the process that it happened in. */
export class ReportedElsewhere extends Error {
  override readonly name = 'ReportedElsewhere';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Opens what the process consists of and leaves its closing to `scope`. `stop` ends it as SIGTERM does. */
type Start = (scope: AsyncDisposableStack, stop: () => void) => Promise<void>;

export async function runProcess(start: Start): Promise<never> {
  const stop = new AbortController();
  const toldToStop = once(stop.signal, 'abort');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // Told twice, we do not insist on an orderly end.
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  try {
    await using scope = new AsyncDisposableStack();
    await start(scope, () => stop.abort());
    await toldToStop;
  } catch (error) {
    process.exit(reportFailure(error));
  }
  process.exit(0);
}

/** Says what went wrong, and returns the exit code for it. */
export function reportFailure(error: unknown): number {
  if (error instanceof ReportedElsewhere) return error.exitCode;
  if (error instanceof ConfigError) {
    printError(error.message);
    return EXIT_CONFIG;
  }
  printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}
