/** The files that decide whether the pages are built anew. Vite and the libraries change with the lock file. */
export const SOURCES = [
  'pages/**/*.{ts,tsx,css,html,svg}',
  'package-lock.json',
  // The modules of the service that the pages import.
  'src/core/sitemap/*.ts',
  'src/features/webhooks/events.ts',
];
