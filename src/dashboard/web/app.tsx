/** Which page stands at which address. Pages are loaded when they are first opened. */
import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso';
import { ApiError } from './api/request.ts';
import { NotFound } from './pages/not-found.tsx';
import { Overview } from './pages/overview.tsx';
import { Announcements } from './parts/announce.tsx';
import { Shell } from './shell.tsx';

const SignIn = lazy(() => import('./pages/sign-in.tsx').then((page) => page.SignIn));

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      // What we intend to refuse is refused again.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

export function App() {
  return (
    <QueryClientProvider client={client}>
      <LocationProvider scope="/dashboard">
        <ErrorBoundary>
          <Router>
            <Route path="/dashboard/sign-in" component={SignIn} />
            <Route default component={SignedInPages} />
          </Router>
        </ErrorBoundary>
        <Announcements />
      </LocationProvider>
    </QueryClientProvider>
  );
}

function SignedInPages() {
  return (
    <Shell>
      <Router>
        <Route path="/dashboard" component={Overview} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  );
}
