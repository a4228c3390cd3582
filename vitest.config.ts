import { configDefaults, defineConfig } from 'vitest/config';
import { isS3Wanted, notOnS3 } from './test/support/not-on-s3.ts';
import { SkippedTests } from './test/support/skipped-tests.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...notOnS3()],
    globalSetup: [
      'test/support/postgres-server.ts',
      'test/support/service-store.ts',
      'test/support/dashboard-pages.ts',
    ],
    setupFiles: ['test/support/no-leaks.ts', 'test/support/property-seed.ts'],
    // The default leaves a core free; several files mostly wait.
    maxWorkers: '100%',
    passWithNoTests: isS3Wanted,
    // A busy machine is slow, not wrong. Waits have their own end (test/support/soon.ts).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', new SkippedTests()],
  },
});
