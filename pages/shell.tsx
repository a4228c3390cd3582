/** The frame of each page: the name of the account, the links to other pages, and the messages that concern all pages. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLive } from './api/live.ts';
import { healWhenSeen, queryClient } from './api/query-client.ts';
import { ApiError, onSessionEnd } from './api/request.ts';
import { signInAddress, useSession } from './api/session.ts';
import { endSession, hasInput, sessionBack, sessionEnded, tellSignedIn } from './api/session-end.ts';
import { isShown } from './api/shown-account.ts';
import { lazyPage } from './lazy-page.tsx';
import { LoadFailure, Loading } from './parts/states.tsx';
import { useWatched } from './parts/use-watched.ts';
import { NotConnected } from './shell/not-connected.tsx';
import { SessionEnded } from './shell/session-ended.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { useFileDrops } from './shell/use-file-drops.ts';
import { Switched } from './views/switched.tsx';

const Suspended = lazyPage(() => import('./views/suspended.tsx').then((page) => page.Suspended));

onSessionEnd(sessionBack);

/** The page of the person. It works in a suspended account, too. */
const PERSONAL = '/dashboard/settings/you';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const session = useSession();
  const isSignedOut = session.error instanceof ApiError && session.error.status === 401;
  const hasEnded = useWayIn(isSignedOut, session.data !== undefined);
  useEffect(healWhenSeen, []);

  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar session={session.data} />
      <NotConnected />
      {hasEnded && <SessionEnded />}
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

/**
 * Opens the sign-in page if there is no session. If the page would lose input, a dialog asks the person to sign in in another tab. After
 * that, all pages read again. Returns whether to show the dialog.
 */
function useWayIn(isSignedOut: boolean, hasSession: boolean): boolean {
  const hasEnded = useWatched(sessionEnded);
  useEffect(() => {
    if (!isSignedOut) return;
    if (hasInput()) endSession();
    else location.replace(signInAddress(location, hasSession));
  }, [isSignedOut, hasSession]);
  useEffect(() => {
    if (hasSession) tellSignedIn();
  }, [hasSession]);
  useEffect(
    () =>
      sessionEnded.watch((isEnded) => {
        if (!isEnded) void queryClient.invalidateQueries();
      }),
    [],
  );
  return hasEnded;
}

interface SignedInProps {
  readonly isLive: boolean;
  readonly children: ComponentChildren;
}

/** Watches the account for changes, and takes dropped files. Render it only with a session, because a request without one would fail. */
function SignedIn({ isLive, children }: SignedInProps) {
  useLive(isLive);
  useFileDrops();
  return <>{children}</>;
}
