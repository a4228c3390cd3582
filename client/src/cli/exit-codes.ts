/** The exit codes of the program, for scripts. README.md has the same list. */
import { WaypostError } from '../waypost-error.ts';
import { Stopped } from './stop-signal.ts';

export const EXIT = {
  done: 0,
  /** The server refused the request, a check of the command failed, or the program has a fault. */
  refused: 1,
  /** The command line or the saved login is invalid. */
  usage: 2,
  /** After all attempts, the server gave no usable answer, or asked to try later. */
  unreachable: 3,
  /** The domain's guard holds the upload. */
  held: 4,
  /** The input cannot be read or is truncated, or its producer failed. */
  input: 5,
} as const;

const WITHOUT_ANSWER = ['UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER'];

export function exitCodeOf(error: unknown): number {
  if (error instanceof Stopped) return error.exitCode;
  if (!(error instanceof WaypostError)) return EXIT.refused;
  if (error.code === 'BAD_SETTING') return EXIT.usage;
  if (error.code === 'BAD_INPUT') return EXIT.input;
  if (error.isTemporary || WITHOUT_ANSWER.includes(error.code)) return EXIT.unreachable;
  return error.isHeld ? EXIT.held : EXIT.refused;
}
