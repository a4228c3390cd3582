/** Decides when a page host is checked again. */
import { aboutADay } from '../domains/watch.ts';
import type { PageHostState } from './page-host.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A check is due about daily, but about hourly on the first day of a bad state, while the customer may be correcting it. `random` is from 0
 * to 1. It spreads the checks of hosts that were found together.
 */
export function nextCheckInMs(state: PageHostState, stateForMs: number, random: number): number {
  const isFresh = state !== 'found' && stateForMs < DAY_MS;
  return isFresh ? HOUR_MS * (0.75 + random / 2) : aboutADay(random);
}
