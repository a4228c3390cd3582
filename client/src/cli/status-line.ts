/** Shows the state of some work: on a terminal in one line that it rewrites, elsewhere in a new line every ten seconds. */
import { environment } from './environment.ts';

export interface StatusLine {
  show(text: string): void;
  stop(): void;
}

export const LOG_MS = 10_000;
const CLEAR = '\r\x1b[K';

export function startStatus(isQuiet: boolean): StatusLine {
  const line = openLine(isQuiet);
  let saidAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (!line.isTerminal && performance.now() - saidAt < LOG_MS) return;
      saidAt = performance.now();
      line.write(text);
    },
    stop: line.clear,
  };
}

/** A line of text. On a terminal, each text replaces the one before. Elsewhere each text has a line of its own. */
export interface Line {
  readonly isTerminal: boolean;
  write(text: string): void;
  /** Clears the last text. Does nothing if the output is no terminal. */
  clear(): void;
}

export function openLine(isQuiet: boolean): Line {
  const { stderr } = process;
  if (isQuiet) return { isTerminal: false, write() {}, clear() {} };
  // A dumb terminal, as editors and some CI have it, shows the codes that clear a line as characters.
  if (stderr.isTTY !== true || environment().TERM === 'dumb') {
    return { isTerminal: false, write: (text) => void stderr.write(`${text}\n`), clear() {} };
  }
  return {
    isTerminal: true,
    // Cut the line, because a line that wraps cannot be overwritten.
    write: (text) => void stderr.write(`${CLEAR}${text.slice(0, (stderr.columns || 80) - 1)}`),
    clear: () => void stderr.write(CLEAR),
  };
}
