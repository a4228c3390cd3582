/**
 * Reads robots.txt of each origin at most once a minute, and of each host one at a time, however many domains and ports need the file. So a
 * host that hangs takes only one place of the queue. Each process keeps its own readings.
 */
import { LRUCache } from 'lru-cache';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { RobotsReading } from './read-robots.ts';

const APART_MS = 60_000;
/** The wait while this process reads robots.txt of the same host, for another port or another domain. */
const BUSY_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Resolves to a reading that is at most `maxAgeMs` old. If the host may not be asked now, resolves to the time to wait. */
export type ReadRecent = (
  origin: string,
  maxAgeMs: number,
  signal: AbortSignal,
) => Promise<{ readonly reading: RobotsReading; readonly ageMs: number } | { readonly waitMs: number }>;

export function createReadRecent(
  read: (origin: string, signal: AbortSignal) => Promise<RobotsReading>,
  now = steadyNow,
): ReadRecent {
  const readings = new LRUCache<string, { readonly reading: RobotsReading; readonly at: number }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ reading }, origin) => origin.length + sizeOf(reading),
  });
  const busyHosts = new Set<string>();
  return async (origin, maxAgeMs, signal) => {
    const known = readings.get(origin);
    const ageMs = known === undefined ? APART_MS : now() - known.at;
    if (known !== undefined && ageMs < APART_MS) {
      return ageMs <= maxAgeMs ? { reading: known.reading, ageMs } : { waitMs: APART_MS - ageMs };
    }
    const { hostname } = new URL(origin);
    if (busyHosts.has(hostname)) return { waitMs: BUSY_MS };
    busyHosts.add(hostname);
    try {
      // A reading is as old as its request, because it may miss changes since then.
      const at = now();
      const reading = await read(origin, signal);
      readings.set(origin, { reading, at });
      return { reading, ageMs: now() - at };
    } finally {
      busyHosts.delete(hostname);
    }
  };
}

/** Estimates the size in bytes. */
function sizeOf(reading: RobotsReading): number {
  const lines = reading.kind === 'read' ? reading.sitemaps : [];
  return lines.reduce((sum, line) => sum + 2 * line.length + 50, 200);
}
