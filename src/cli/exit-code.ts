/** The exit codes of the commands: 0, 1 for a failure or a problem that was found, 78 for a wrong command or setting. */
import { CommanderError } from 'commander';
import { EXIT_CONFIG } from '../platform/process/config-error.ts';
import { reportFailure } from '../platform/process/run-process.ts';

/** Prints why a command failed, and returns the exit code. */
export function exitCodeOf(error: unknown): number {
  // Commander has already printed the error, or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CONFIG;
  return reportFailure(error);
}
