/** Builds the pages of the dashboard into `dist`. `src/edges/dashboard/assets.ts` reads them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: FOLDER,
  base: '/dashboard/',
  // Preact's own JSX, without a plugin.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // The content security policy blocks `data:` addresses, so nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The code of `parts/` and `api/` that at least four chunks share is one file, because on a slow network a request costs more than its
    // bytes.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'parts', test: /\/pages\/(?:parts|api)\//, minShareCount: 4 }] },
      },
    },
    reportCompressedSize: false,
  },
});
