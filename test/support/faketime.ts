/** Starts programs with a wrong clock (Debian package faketime). */
import { existsSync } from 'node:fs';

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find(existsSync);

/** The environment of a process whose clock is wrong by `offset`, as in +1d. Timers run as usual. Children inherit it. */
export function withClock(offset: string): Record<string, string> {
  return { LD_PRELOAD: LIBRARY!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
