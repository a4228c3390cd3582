/** Shows how much was sent: on a terminal in one line that it rewrites, elsewhere in a new line every ten seconds. */
import { shownBytes } from './output.ts';
import { LOG_MS, openLine } from './status-line.ts';

export interface Progress {
  /** A new attempt begins. */
  begin(): void;
  /** Counts bytes of the input, before they are compressed. */
  add(bytes: number): void;
  stop(): void;
}

const TERMINAL_MS = 100;
const BAR_WIDTH = 30;

/** `totalBytes`: undefined for a stream. */
export function startProgress(totalBytes: number | undefined, isQuiet: boolean): Progress {
  const line = openLine(isQuiet);
  const { isTerminal } = line;
  let sent = 0;
  let startedAt = performance.now();
  const show = () =>
    line.write(describe(sent, totalBytes, (performance.now() - startedAt) / 1000, isTerminal));
  const timer = setInterval(show, isTerminal ? TERMINAL_MS : LOG_MS);
  timer.unref();
  return {
    begin() {
      sent = 0;
      startedAt = performance.now();
      if (isTerminal) show();
    },
    add(bytes) {
      sent += bytes;
    },
    stop() {
      clearInterval(timer);
      if (isTerminal) line.clear();
      else if (sent > 0) show();
    },
  };
}

function describe(
  sent: number,
  totalBytes: number | undefined,
  seconds: number,
  isTerminal: boolean,
): string {
  const rate = `${shownBytes(Math.round(sent / Math.max(seconds, 0.001)))}/s`;
  if (totalBytes === undefined || totalBytes === 0) return `${shownBytes(sent)} sent, ${rate}`;
  const part = Math.min(1, sent / totalBytes);
  const figures = `${Math.floor(part * 100)} %, ${shownBytes(sent)} of ${shownBytes(totalBytes)} sent, ${rate}`;
  if (!isTerminal) return figures;
  const done = Math.floor(part * BAR_WIDTH);
  return `${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)} ${figures}`;
}
