/**
 * Maps addresses to pages. The code of the overview, the sign-in and the page for unknown addresses comes with the document. The code of
 * each other page is loaded when the page is first opened.
 */
import { QueryClientProvider } from '@tanstack/preact-query';
import type { ComponentType } from 'preact';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { exec } from 'preact-iso/router';
import { queryClient } from './api/query-client.ts';
import { lazyPage } from './lazy-page.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { Announcements } from './parts/announce.tsx';
import { Shell } from './shell.tsx';
import { NotFound } from './views/not-found.tsx';
import { Overview } from './views/overview.tsx';
import { SignIn } from './views/sign-in.tsx';

const Changes = lazyPage(() => import('./views/changes.tsx').then((page) => page.Changes));
const Domain = lazyPage(() => import('./views/domain.tsx').then((page) => page.Domain));
const Find = lazyPage(() => import('./views/find.tsx').then((page) => page.Find));
const HelpPage = lazyPage(() => import('./views/help.tsx').then((page) => page.HelpPage));
const InvitationPage = lazyPage(() => import('./views/invitation.tsx').then((page) => page.InvitationPage));
const NewDomain = lazyPage(() => import('./views/new-domain.tsx').then((page) => page.NewDomain));
const QuickStart = lazyPage(() => import('./views/quick-start.tsx').then((page) => page.QuickStart));
const Settings = lazyPage(() => import('./views/settings.tsx').then((page) => page.Settings));
const Sitemap = lazyPage(() => import('./views/sitemap.tsx').then((page) => page.Sitemap));
const Upload = lazyPage(() => import('./views/upload.tsx').then((page) => page.Upload));

/** The first route that fits an address is shown. `:id` stands for one part of the address. */
const ROUTES = [
  ['/dashboard', Overview],
  ['/dashboard/domains/new', NewDomain],
  ['/dashboard/domains/:id', Domain],
  ['/dashboard/domains/:id/:tab', Domain],
  ['/dashboard/domains/:id/sitemaps/:name', Sitemap],
  ['/dashboard/domains/:id/sitemaps/:name/changes', Changes],
  ['/dashboard/find', Find],
  ['/dashboard/upload', Upload],
  ['/dashboard/quick-start', QuickStart],
  ['/dashboard/help', HelpPage],
  ['/dashboard/settings/:tab', Settings],
] as const;

/** Load the code of the first page while the session is read, and not after that. */
const [, first] = ROUTES.find(([path]) => exec(location.pathname, path)) ?? [];
if (first && 'preload' in first) void first.preload();

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <LocationProvider scope="/dashboard">
        <ErrorBoundary>
          <Pages />
        </ErrorBoundary>
        <Announcements />
      </LocationProvider>
    </QueryClientProvider>
  );
}

/** There is one router only: a router inside the default route of another one would see no path. */
function Pages() {
  const { path } = useLocation();
  if (path === '/dashboard/sign-in') return <SignIn />;
  if (path === '/dashboard/invitation') return <InvitationPage />;
  return (
    <Shell>
      <PageBoundary>
        <Router>
          {ROUTES.map(([path, component]) => (
            // No key: a domain has two routes, and its component must stay when a person opens another tab.
            <Route path={path} component={component as ComponentType} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </PageBoundary>
    </Shell>
  );
}
