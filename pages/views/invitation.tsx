/** The page to which the link of an invitation leads. It shows the account and the role before the person joins. */
import { useEffect, useState } from 'preact/hooks';
import type { Invitation } from '../../src/edges/dashboard/wire.ts';
import { ApiError, ask } from '../api/request.ts';
import { useSession } from '../api/session.ts';
import { useTakenToken } from '../api/taken-token.ts';
import { Action } from '../parts/action.tsx';
import { Alone } from '../parts/alone.tsx';
import { Providers } from '../parts/providers.tsx';
import { LoadFailure, Loading } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';

export function InvitationPage() {
  // The token stays here. It never enters the query cache.
  const token = useTakenToken();
  const [invitation, setInvitation] = useState<Invitation>();
  const [failure, setFailure] = useState<unknown>();
  const look = () => {
    setFailure(undefined);
    ask<Invitation>('POST', '/auth/invitation', { token }).then(setInvitation, setFailure);
  };
  useEffect(() => {
    if (token !== '') look();
  }, [token]);
  if (token === '') return <NoToken />;
  if (failure instanceof ApiError && failure.status >= 400 && failure.status < 500) {
    return (
      <Alone title="Invitation" problem={failure.message}>
        <ToDashboard />
      </Alone>
    );
  }
  return (
    <Alone title="Invitation">
      {failure !== undefined ? (
        <LoadFailure error={failure} again={look} />
      ) : invitation === undefined ? (
        <Loading />
      ) : (
        <Invited invitation={invitation} token={token} />
      )}
    </Alone>
  );
}

function NoToken() {
  return (
    <Alone title="Invitation">
      <p>Open the link of the invitation again: this page works only with the whole link.</p>
      <ToDashboard />
    </Alone>
  );
}

function ToDashboard() {
  return (
    <p>
      Are you a member already? <a href="/dashboard">Go to the dashboard</a>
    </p>
  );
}

interface InvitedProps {
  readonly invitation: Invitation;
  readonly token: string;
}

function Invited({ invitation: { id, accountName, role, expiresAt }, token }: InvitedProps) {
  const session = useSession();
  const join = async () => {
    await ask('POST', 'invitation/accept', { token });
    location.replace('/dashboard');
  };
  return (
    <>
      <p>
        You are invited to the account <strong>{accountName}</strong> as{' '}
        {role === 'owner' ? 'an owner' : 'a member'}.
      </p>
      <p class="quiet">
        Waypost hosts sitemaps, the lists of pages that search engines read.{' '}
        {role === 'owner'
          ? 'An owner may do everything.'
          : 'A member may do everything but invite, remove and change people.'}
      </p>
      {session.data ? (
        <div class="lines">
          <p>
            You are signed in as <strong>{session.data.user.name}</strong>.
          </p>
          <Action kind="primary" work={join}>
            {`Join ${accountName}`}
          </Action>
        </div>
      ) : session.isPending ? (
        <Loading />
      ) : (
        <Providers invitation={{ id, keep: () => ask('POST', '/auth/invitation', { token }) }} />
      )}
      <p class="quiet">
        The invitation ends <Time at={expiresAt} />. It works once.
      </p>
    </>
  );
}
