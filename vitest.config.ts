import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { FlakyTests } from './test/support/flaky-tests.ts';
import { KeptDurations, LongestFirst } from './test/support/longest-first.ts';
import { isS3Wanted, notOnS3 } from './test/support/not-on-s3.ts';
import { SkippedTests } from './test/support/skipped-tests.ts';
import { SOON } from './test/support/soon.ts';
import { ALL_TIERS, BY_NODE, filesOf, type Tier, WORKERS } from './test/tiers.ts';

function project(tier: Tier) {
  const { include, exclude } = filesOf(tier);
  const excluded = [...configDefaults.exclude, ...exclude, ...notOnS3()];
  const setupFiles = tier === 'stores' ? ['test/support/known-statements.ts'] : [];
  return {
    extends: true as const,
    test: { name: tier, ...WORKERS[tier], include, exclude: excluded, setupFiles },
  };
}

export default defineConfig({
  test: {
    projects: ALL_TIERS.map(project),
    globalSetup: ['test/support/lender.ts', 'test/support/service-store.ts'],
    setupFiles: ['test/support/no-leaks.ts', 'test/support/property-seed.ts'],
    sequence: { sequencer: LongestFirst },
    // Several files mostly wait.
    maxWorkers: 2 * availableParallelism(),
    passWithNoTests: isS3Wanted,
    // For the global setup. Vitest 5.1 forgets the code of each module that a worker of `unit` imports, for its own process. A later import
    // by Vite there gets a module without exports, and keeps it in the cache on disk.
    experimental: BY_NODE,
    fsModuleCache: true,
    // A busy machine is slow, not wrong. Waits have their own end (test/support/soon.ts).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: SOON },
    reporters: ['default', new SkippedTests(), new FlakyTests(), new KeptDurations()],
  },
});
