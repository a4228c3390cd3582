/** The clock for words such as `7 min ago`. All of them move together while the page is visible. */
import { timeNow } from '../api/clock.ts';
import { createWatched } from '../api/watched.ts';
import { useWatched } from './use-watched.ts';

const EVERY_MS = 30_000;

const clock = createWatched(0);

function move(): void {
  if (document.visibilityState === 'visible') clock.change(Date.now());
}
setInterval(move, EVERY_MS);
document.addEventListener('visibilitychange', move);

/** Returns the time in milliseconds since 1970. The component is rendered again when the clock moves. */
export function useNow(): number {
  useWatched(clock);
  // Between two moves, the clock is behind the times in new answers.
  return timeNow();
}
