/** What stands around each page: the way to the other pages, whose account it is, and the way out. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLive } from './api/live.ts';
import { ApiError } from './api/request.ts';
import { signInAddress, useSession } from './api/session.ts';
import { isShown } from './api/shown-account.ts';
import { signOut } from './api/sign-out.ts';
import { useWork } from './parts/action.tsx';
import { Mark } from './parts/mark.tsx';
import { LoadFailure, Loading } from './parts/states.tsx';
import { Suspended } from './views/suspended.tsx';
import { Switched } from './views/switched.tsx';

const PLACES = [
  { path: '/dashboard', name: 'Overview' },
  { path: '/dashboard/upload', name: 'Upload' },
  { path: '/dashboard/quick-start', name: 'Quick start' },
  { path: '/dashboard/settings/keys', name: 'Settings', below: '/dashboard/settings' },
];

/** It works in a suspended account, too. */
const PERSONAL = '/dashboard/settings/you';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
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
        {session.data && !isShown(session.data.account.id) ? (
          <Switched accountName={session.data.account.name} />
        ) : session.data?.suspended && path !== PERSONAL ? (
          <Suspended accountName={session.data.account.name} />
        ) : session.data ? (
          <SignedIn isLive={!session.data.suspended}>{children}</SignedIn>
        ) : session.isError && !isSignedOut ? (
          <LoadFailure error={session.error} again={session.refetch} />
        ) : (
          <Loading />
        )}
      </main>
    </>
  );
}

interface SignedInProps {
  readonly isLive: boolean;
  readonly children: ComponentChildren;
}

/** Only here, so that nothing is asked without a session. */
function SignedIn({ isLive, children }: SignedInProps) {
  useLive(isLive);
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
  const client = useQueryClient();
  const { isBusy, error, run } = useWork(() => signOut(client));
  return (
    <div class="top-account">
      <a href={PERSONAL} title={name}>
        {name}
      </a>
      <button type="button" class="plain" aria-disabled={isBusy} onClick={run}>
        Sign out
      </button>
      {error && (
        <p class="error" role="alert">
          You are still signed in. {error}
        </p>
      )}
    </div>
  );
}
