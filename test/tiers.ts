/** The tiers of the tests, in the order in which they run. The name of a file decides its tier. */
import type { TestUserConfig } from 'vitest/config';

/** The things that a tier may use, beside those of all earlier tiers. */
export const TIERS = {
  unit: 'this process, and programs that answer within a second',
  stores: 'an embedded Postgres, with a database for each file',
  service: 'a running Waypost, as a black box',
  peers: "other people's servers and browsers",
  proofs: 'minutes: long consistency, many processes, millions of entries',
} as const;

export type Tier = keyof typeof TIERS;

export const ALL_TIERS = Object.keys(TIERS) as Tier[];

/** Peers are slow at times, and proofs long. In CI they get a second chance; the run names what needs it. */
const retry = process.env.CI === undefined ? 0 : 1;

/** Node imports the modules itself, and Vite does not change them. */
export const BY_NODE = { viteModuleRunner: false, nodeLoader: false };
const BY_VITE = { viteModuleRunner: true };

/**
 * The files of one worker share its modules: nothing in `src` has a state of its own. Node imports the files of `unit` itself: in modules
 * that Vite has changed, each use of an import is a look-up, which costs long loops a seventh. The other tiers gain nothing.
 */
export const WORKERS: Record<Tier, TestUserConfig> = {
  unit: { pool: 'threads', isolate: false, experimental: BY_NODE },
  stores: { pool: 'forks', isolate: false, experimental: BY_VITE },
  service: { pool: 'forks', isolate: false, experimental: BY_VITE },
  peers: { pool: 'forks', isolate: false, retry, experimental: BY_VITE },
  proofs: { pool: 'forks', isolate: false, retry, experimental: BY_VITE },
};

/** The word before .test.ts is the tier. Without one it is `service` below test/service, and else `unit`. */
export function filesOf(tier: Tier): { readonly include: string[]; readonly exclude: string[] } {
  const named = (tiers: readonly Tier[]) => tiers.map((name) => `test/**/*.${name}.test.ts`);
  const others = named(ALL_TIERS.filter((name) => name !== tier));
  if (tier === 'unit') return { include: ['test/**/*.test.ts'], exclude: ['test/service/**', ...others] };
  const isDefault = tier === 'service';
  return {
    include: [...(isDefault ? ['test/service/**/*.test.ts'] : []), ...named([tier])],
    exclude: others,
  };
}
