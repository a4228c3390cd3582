import { defineConfig } from 'vitest/config';
import { SOON } from '../support/soon.ts';

/** `npm run test:faults`: takes minutes, and needs an S3 store. */
export default defineConfig({
  test: {
    include: ['test/faults/*.{sweep,fault}.ts'],
    globalSetup: ['test/support/lender.ts', 'test/faults/support/s3-server.ts'],
    setupFiles: ['test/support/no-leaks.ts'],
    maxWorkers: '100%',
    reporters: ['verbose'],
    passWithNoTests: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: SOON },
  },
});
