/** All pages of the dashboard, read from the sources of its router, so that a test can forget none. */
import { readFileSync } from 'node:fs';

const ROUTES = /path="(?<route>\/dashboard[^"]*)"|path === '(?<alone>\/dashboard[^']*)'/g;
const TABS = /\{ tab: '(?<tab>\w+)'/g;

const WEB = new URL('../../src/dashboard/web/', import.meta.url);

/** As in /dashboard/domains/:id. A page with tabs is there once for each. */
export function dashboardRoutes(): string[] {
  const found = [...read('app.tsx').matchAll(ROUTES)].map(({ groups }) => groups!.route ?? groups!.alone!);
  const tabs = [...read('pages/settings.tsx').matchAll(TABS)].map(({ groups }) => groups!.tab!);
  return found.flatMap((route) =>
    route.endsWith('/:tab') ? tabs.map((tab) => route.replace(':tab', tab)) : [route],
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, WEB), 'utf8');
}
