/** Maps addresses to pages. All pages but the first two are loaded when they are first opened. */
import { QueryClientProvider } from '@tanstack/preact-query';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { queryClient } from './api/query-client.ts';
import { lazyPage } from './lazy-page.tsx';
import { Announcements } from './parts/announce.tsx';
import { Shell } from './shell.tsx';
import { NotFound } from './views/not-found.tsx';
import { Overview } from './views/overview.tsx';
import { SignIn } from './views/sign-in.tsx';

const Changes = lazyPage(() => import('./views/changes.tsx').then((page) => page.Changes));
const Domain = lazyPage(() => import('./views/domain.tsx').then((page) => page.Domain));
const Find = lazyPage(() => import('./views/find.tsx').then((page) => page.Find));
const InvitationPage = lazyPage(() => import('./views/invitation.tsx').then((page) => page.InvitationPage));
const NewDomain = lazyPage(() => import('./views/new-domain.tsx').then((page) => page.NewDomain));
const QuickStart = lazyPage(() => import('./views/quick-start.tsx').then((page) => page.QuickStart));
const Settings = lazyPage(() => import('./views/settings.tsx').then((page) => page.Settings));
const Sitemap = lazyPage(() => import('./views/sitemap.tsx').then((page) => page.Sitemap));
const Upload = lazyPage(() => import('./views/upload.tsx').then((page) => page.Upload));

/** The first that fits. */
const BY_ADDRESS = [
  [/^\/dashboard\/domains\/new$/, NewDomain],
  [/^\/dashboard\/domains\/[^/]+\/sitemaps\/[^/]+\/changes$/, Changes],
  [/^\/dashboard\/domains\/[^/]+\/sitemaps\/[^/]+$/, Sitemap],
  [/^\/dashboard\/domains\//, Domain],
  [/^\/dashboard\/find$/, Find],
  [/^\/dashboard\/upload$/, Upload],
  [/^\/dashboard\/quick-start$/, QuickStart],
  [/^\/dashboard\/settings\//, Settings],
] as const;

/** The code comes while it is asked whose session it is, and not after that. */
void BY_ADDRESS.find(([address]) => address.test(location.pathname))?.[1].preload();

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
      <Router>
        <Route path="/dashboard" component={Overview} />
        <Route path="/dashboard/domains/new" component={NewDomain} />
        <Route path="/dashboard/domains/:id" component={Domain} />
        <Route path="/dashboard/domains/:id/:tab" component={Domain} />
        <Route path="/dashboard/domains/:id/sitemaps/:name" component={Sitemap} />
        <Route path="/dashboard/domains/:id/sitemaps/:name/changes" component={Changes} />
        <Route path="/dashboard/find" component={Find} />
        <Route path="/dashboard/upload" component={Upload} />
        <Route path="/dashboard/quick-start" component={QuickStart} />
        <Route path="/dashboard/settings/:tab" component={Settings} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  );
}
