/** How the program ends, for scripts. README.md lists the same. */
import { WaypostError } from '../waypost-error.ts';
import { Stopped } from './stop-signal.ts';

export const EXIT = {
  done: 0,
  /** The server said no, or a check that the command makes failed. */
  refused: 1,
  /** The command line, the configuration or the key cannot be right. */
  usage: 2,
  /** No answer, after all attempts. */
  unreachable: 3,
  /** The domain's guard holds the upload. */
  held: 4,
  /** The input cannot be read, is cut, or its producer failed. */
  input: 5,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof Stopped) return error.exitCode;
  if (!(error instanceof WaypostError)) return EXIT.refused;
  if (error.code === 'BAD_SETTING') return EXIT.usage;
  if (error.code === 'BAD_INPUT') return EXIT.input;
  if (error.status === undefined || error.isTemporary) return EXIT.unreachable;
  return error.isHeld ? EXIT.held : EXIT.refused;
}
