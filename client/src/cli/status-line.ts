/** Shows where something stands: on a terminal in one line that it rewrites, elsewhere in a new line every ten seconds. */
export interface StatusLine {
  show(text: string): void;
  stop(): void;
}

const LOG_MS = 10_000;

export function startStatus(isQuiet: boolean): StatusLine {
  const { stderr } = process;
  if (isQuiet) return { show() {}, stop() {} };
  if (stderr.isTTY === true) {
    return {
      // Cut the line, because a line that wraps cannot be overwritten.
      show: (text) => void stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns || 80) - 1)}`),
      stop: () => void stderr.write('\r\x1b[K'),
    };
  }
  let saidAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (performance.now() - saidAt < LOG_MS) return;
      saidAt = performance.now();
      stderr.write(`${text}\n`);
    },
    stop() {},
  };
}
