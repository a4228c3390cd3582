/**
 * Reads robots.txt of each origin at most once a minute, and of each host one at a time, however many domains and ports
 * ask for it. So a host that hangs holds one place. Each process does so by itself.
 */
import { LRUCache } from 'lru-cache';
import { steadyNow } from '../platform/steady-clock.ts';
import type { RobotsReading } from './read-robots.ts';

const APART_MS = 60_000;
/** While the host is busy with another port, or with the same one for another domain. */
const BUSY_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

interface DatedReading {
  readonly reading: RobotsReading;
  readonly ageMs: number;
}

/** An older reading than `maxAgeMs` does not do. If nobody may ask now, resolves to how long to wait. */
export type ReadRecent = (
  origin: string,
  maxAgeMs: number,
  signal: AbortSignal,
) => Promise<DatedReading | { readonly waitMs: number }>;

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
      // Of its beginning: it may not show what is changed meanwhile.
      const at = now();
      const reading = await read(origin, signal);
      readings.set(origin, { reading, at });
      return { reading, ageMs: now() - at };
    } finally {
      busyHosts.delete(hostname);
    }
  };
}

/** About, in bytes. */
function sizeOf(reading: RobotsReading): number {
  const lines = reading.kind === 'read' ? reading.sitemaps : [];
  return lines.reduce((sum, line) => sum + 2 * line.length + 50, 200);
}
