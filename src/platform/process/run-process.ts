/**
 * The life of a process: it starts, runs until it is told to stop, and closes what it opened in reverse order.
 *
 * Exit codes: 0 after an orderly stop, 78 for a problem that the operator must fix, the code of ReportedElsewhere, 1 for any other failure
 * and after a second signal.
 */
import { once } from 'node:events';
import { ConfigError, EXIT_CONFIG } from './config-error.ts';
import { outliveReader, printError } from './print.ts';

/** Ends this process without a message: the process in which the failure happened has already reported it. */
export class ReportedElsewhere extends Error {
  override readonly name = 'ReportedElsewhere';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Opens the parts of the process and adds them to `scope`, which closes them. `stop` works like SIGTERM. */
type Start = (scope: AsyncDisposableStack, stop: () => void) => Promise<void>;

export async function runProcess(start: Start): Promise<never> {
  const stop = new AbortController();
  const toldToStop = once(stop.signal, 'abort');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal skips the orderly shutdown.
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  outliveReader();
  try {
    await using scope = new AsyncDisposableStack();
    await start(scope, () => stop.abort());
    await toldToStop;
  } catch (error) {
    process.exit(reportFailure(error));
  }
  process.exit(0);
}

/** Prints the failure, unless it is reported elsewhere, and returns its exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof ReportedElsewhere) return error.exitCode;
  if (error instanceof ConfigError) {
    printError(error.message);
    return EXIT_CONFIG;
  }
  printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}
