import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { FlakyTests } from '../support/flaky-tests.ts';
import { SkippedTests } from '../support/skipped-tests.ts';
import { SOON } from '../support/soon.ts';

// A sample differs from run to run. The workers inherit its seed, which repeats it.
process.env.FAULTS_SEED ??= String(randomInt(1000));
if (process.env.FAULTS_EVERY !== undefined) console.log(`FAULTS_SEED=${process.env.FAULTS_SEED}`);

/** `npm run test:faults`: takes minutes, and needs an S3 store. */
export default defineConfig({
  test: {
    include: ['test/faults/*.{sweep,fault}.ts'],
    globalSetup: ['test/support/lender.ts', 'test/faults/support/s3-server.ts'],
    setupFiles: ['test/support/no-leaks.ts'],
    maxWorkers: '100%',
    reporters: ['verbose', new SkippedTests(), new FlakyTests()],
    passWithNoTests: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // As peers and proofs have it (`test/tiers.ts`).
    retry: process.env.CI === undefined ? 0 : 1,
    expect: { poll: SOON },
  },
});
