/**
 * The shares of a process's connections to Postgres. Work that waits for a store, for strangers or for locks has a share, so it never has
 * all connections. Requests of known keys, pages and jobs have the rest. In the all-in-one program, API and jobs share one pool.
 */
import type { Config } from '../core/config/config.ts';

/** The shares, as fractions of the pool. */
export const SHARES = {
  /** Changes of sites, which wait for the object storage. */
  'sites of the API': 0.2,
  'sites of the jobs': 0.2,
  /** Small uploads that wait for locked keys and domains. */
  'small uploads apart': 0.15,
  /** Look-ups of unknown keys and sessions, which come from strangers. */
  'unknown keys': 0.1,
  'unknown sessions': 0.05,
  /** Hundreds of receivers may answer at once. */
  'results of webhooks': 0.1,
} as const;

/** Returns the number of connections of a share, at least one. */
export function connectionsFor(
  share: keyof typeof SHARES,
  { DATABASE_CONNECTIONS }: Pick<Config, 'DATABASE_CONNECTIONS'>,
): number {
  return Math.max(1, Math.floor(DATABASE_CONNECTIONS * SHARES[share]));
}
