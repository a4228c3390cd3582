/**
 * Who may have how much of the connections of a process to Postgres at once. Whatever waits for a store, for strangers or for locks
 * has a share, so it never has them all: requests of known keys, pages and jobs have the rest. In an all in one, everything here is
 * in one pool.
 */
import type { Config } from '../config/config.ts';

/** Fractions. */
export const SHARES = {
  /** They wait for the store. */
  'sites of the API': 0.2,
  'sites of the jobs': 0.2,
  /** They wait for locked keys and domains. */
  'small uploads apart': 0.15,
  /** They come from anybody. */
  'unknown keys': 0.1,
  'unknown sessions': 0.05,
  /** Hundreds of receivers may answer at once. */
  'results of webhooks': 0.1,
} as const;

/** At least one. */
export function connectionsFor(
  share: keyof typeof SHARES,
  { DATABASE_CONNECTIONS }: Pick<Config, 'DATABASE_CONNECTIONS'>,
): number {
  return Math.max(1, Math.floor(DATABASE_CONNECTIONS * SHARES[share]));
}
