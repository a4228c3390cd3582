import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-server.ts'],
    setupFiles: ['test/support/no-leaks.ts', 'test/support/property-seed.ts'],
    // The default leaves a core free; several files mostly wait.
    maxWorkers: '100%',
    passWithNoTests: false,
    testTimeout: 20_000,
  },
});
