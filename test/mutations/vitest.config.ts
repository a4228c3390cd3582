import { defineConfig } from 'vitest/config';

/** The judge of the kernel alone, for `npm run test:mutations`. It needs no Postgres and no store. */
export default defineConfig({
  test: {
    include: ['test/judges/transcoding*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    maxWorkers: '100%',
    testTimeout: 300_000,
    passWithNoTests: false,
  },
});
