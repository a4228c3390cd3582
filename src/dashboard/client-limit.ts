/** A limit per client and minute, counted in Postgres. Beyond it, clients are refused from memory. */
import { CallerMemory } from '../accounts/caller-memory.ts';
import { blockedSeconds, type CountOne } from '../accounts/rate-limits.ts';

export interface ClientLimit {
  /** Seconds to wait; 0 within the limit. Counts nothing, and asks nobody. */
  blockedSeconds(client: string): number;
  /** Counts one more. Returns the seconds to wait; 0 within the limit. */
  count(client: string): Promise<number>;
}

export function createClientLimit(countOne: CountOne): ClientLimit {
  const memory = new CallerMemory();
  return {
    blockedSeconds: (client) => memory.blockedSeconds(client),
    async count(client) {
      const known = memory.blockedSeconds(client);
      if (known > 0) return known;
      const seconds = blockedSeconds(await countOne(client));
      if (seconds > 0) memory.block(client, seconds);
      return seconds;
    },
  };
}
