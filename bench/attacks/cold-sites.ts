/** Asks a server for existing sites that it does not know yet, once each, from 127.0.0.1. */
import { setTimeout as delay } from 'node:timers/promises';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';

const INTERVAL_MS = 200;
/** A server gives up on its store sooner than this. */
const PATIENCE_MS = 7000;

export interface ColdSites {
  readonly percentServed: number;
  readonly slowestMs: number;
}

export async function askForColdSites(
  port: number,
  hostnames: readonly string[],
  path: string,
): Promise<ColdSites> {
  const times = await Promise.all(
    hostnames.map(async (hostname, n) => {
      await delay(n * INTERVAL_MS);
      return timeAnswer(port, requestFor(hostname, path), { patienceMs: PATIENCE_MS });
    }),
  );
  const served = times.filter((time) => time !== undefined);
  return { percentServed: (100 * served.length) / times.length, slowestMs: Math.max(0, ...served) };
}

/** Milliseconds from connecting to a whole answer with 200. Undefined for another status, or after too long a wait. */
export async function timeAnswer(
  port: number,
  request: string,
  { patienceMs, from }: { patienceMs: number; from?: string },
): Promise<number | undefined> {
  const startedAt = performance.now();
  const ended = new AbortController();
  const late = delay(patienceMs, undefined, { signal: ended.signal }).catch(() => undefined);
  const exchange = async () => {
    using connection = await LeanConnection.open(port, from);
    const status = await Promise.race([connection.exchange(request), late]);
    return status === 200 ? performance.now() - startedAt : undefined;
  };
  // The attempt to connect may never end, so it has the same limit.
  const time = await Promise.race([exchange().catch(() => undefined), late]);
  ended.abort();
  return time ?? undefined;
}
