/** How the program ends, for scripts. README.md lists the same. */
import { WaypostError } from '../waypost-error.ts';
import { Stopped } from './stop-signal.ts';

export const EXIT = {
  done: 0,
  /** The server said no, or a check that the command makes failed. */
  refused: 1,
  /** The command line or the saved login cannot be right. */
  usage: 2,
  /** No answer of Waypost, or one that says to try later, after all attempts. */
  unreachable: 3,
  /** The domain's guard holds the upload. */
  held: 4,
  /** The input cannot be read, is cut, or its producer failed. */
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
