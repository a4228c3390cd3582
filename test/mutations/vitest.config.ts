import { defineConfig } from 'vitest/config';

/** The judges of the WebAssembly alone, for `npm run test:mutations`. It needs no Postgres and no store. */
export default defineConfig({
  test: {
    include: [
      'test/judges/{transcoding,deflate,json-parse,wide-dates}*.test.ts',
      'test/platform/json/{element-scan,json-document}.test.ts',
      'test/platform/lines/line-scan.test.ts',
    ],
    setupFiles: ['test/support/property-seed.ts'],
    maxWorkers: '100%',
    testTimeout: 300_000,
    passWithNoTests: false,
  },
});
