/** Reads all pages of the dashboard from the source of its router, so that tests cannot forget one. */
import { readFileSync } from 'node:fs';

const ROUTES = /\['(?<route>\/dashboard[^']*)', \w+\]|path === '(?<alone>\/dashboard[^']*)'/g;
const TABS = /\{ tab: '(?<tab>\w+)'/g;
/** The pages with tabs. */
const TABBED: Readonly<Record<string, string>> = {
  '/dashboard/settings/:tab': 'views/settings.tsx',
  '/dashboard/domains/:id/:tab': 'views/domain.tsx',
};

const PAGES = new URL('../../pages/', import.meta.url);

/** Returns paths like /dashboard/domains/:id. A page with tabs has a path for each tab. */
export function dashboardRoutes(): string[] {
  const found = [...read('app.tsx').matchAll(ROUTES)].map(({ groups }) => groups!.route ?? groups!.alone!);
  return found.flatMap((route) => {
    if (!route.endsWith('/:tab')) return [route];
    const tabs = [...read(TABBED[route]!).matchAll(TABS)].map(({ groups }) => groups!.tab!);
    return tabs.map((tab) => route.replace(':tab', tab));
  });
}

function read(file: string): string {
  return readFileSync(new URL(file, PAGES), 'utf8');
}
