/** Reads all pages of the dashboard from the source of its router, so that tests cannot forget one. */
import { readFileSync } from 'node:fs';

const ROUTES = /path="(?<route>\/dashboard[^"]*)"|path === '(?<alone>\/dashboard[^']*)'/g;
const TABS = /\{ tab: '(?<tab>\w+)'/g;

const PAGES = new URL('../../pages/', import.meta.url);

/** Returns paths like /dashboard/domains/:id. A page with tabs has a path for each tab. */
export function dashboardRoutes(): string[] {
  const found = [...read('app.tsx').matchAll(ROUTES)].map(({ groups }) => groups!.route ?? groups!.alone!);
  const tabs = [...read('views/settings.tsx').matchAll(TABS)].map(({ groups }) => groups!.tab!);
  return found.flatMap((route) =>
    route.endsWith('/:tab') ? tabs.map((tab) => route.replace(':tab', tab)) : [route],
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, PAGES), 'utf8');
}
