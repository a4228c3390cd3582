/** What stands around each page: the way to the other pages, whose account it is, and the way out. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLive } from './api/live.ts';
import { ApiError, ask } from './api/request.ts';
import { signInAddress, useSession } from './api/session.ts';
import { Mark } from './parts/mark.tsx';
import { LoadFailure, Loading } from './parts/states.tsx';

const PLACES = [
  { path: '/dashboard', name: 'Overview' },
  { path: '/dashboard/upload', name: 'Upload' },
  { path: '/dashboard/quick-start', name: 'Quick start' },
  { path: '/dashboard/settings/keys', name: 'Settings', below: '/dashboard/settings' },
];

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const session = useSession();
  const isSignedOut = session.error instanceof ApiError && session.error.status === 401;
  useEffect(() => {
    if (isSignedOut) location.replace(signInAddress(location));
  }, [isSignedOut]);

  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/dashboard">
            <Mark /> Waypost
          </a>
          {session.data && <Places />}
          {session.data && <Account name={session.data.account.name} />}
        </div>
      </header>
      <main id="main">
        {session.data ? (
          <SignedIn>{children}</SignedIn>
        ) : session.isError && !isSignedOut ? (
          <LoadFailure error={session.error} again={session.refetch} />
        ) : (
          <Loading />
        )}
      </main>
    </>
  );
}

/** Only here, so that nothing is asked without a session. */
function SignedIn({ children }: { readonly children: ComponentChildren }) {
  useLive();
  return <>{children}</>;
}

function Places() {
  const { path } = useLocation();
  return (
    <nav aria-label="Pages">
      <ul>
        {PLACES.map((place) => (
          <li key={place.path}>
            <a
              href={place.path}
              aria-current={
                path === place.path || (place.below && path.startsWith(place.below)) ? 'page' : undefined
              }
            >
              {place.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account({ name }: { readonly name: string }) {
  return (
    <div class="top-account">
      <a href="/dashboard/settings/you" title={name}>
        {name}
      </a>
      <button type="button" class="plain" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

async function signOut() {
  // If it fails, the page says so; without a session there is nothing left to end.
  const { location: next } = await ask<{ location: string }>('POST', '/auth/sign-out').catch((error) => {
    if (error instanceof ApiError && error.status === 401) return { location: '/dashboard/sign-in' };
    throw error;
  });
  location.assign(next);
}
