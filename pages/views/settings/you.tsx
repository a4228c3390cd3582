/** The person: their ways to sign in, their sessions, and their accounts. */
import { useQuery } from '@tanstack/preact-query';
import type { SessionState } from '../../../src/edges/dashboard/wire.ts';
import { signInQuery } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { problemIn } from '../problems.ts';
import { Accounts } from './you/accounts.tsx';
import { Identities } from './you/identities.tsx';
import { Sessions } from './you/sessions.tsx';

export function You() {
  const session = useSession();
  const options = useQuery(signInQuery);
  const problem = problemIn(location.search);
  return (
    <Page title="You">
      {problem && (
        <p class="notice notice-bad" role="alert">
          <span>{problem}</span>
        </p>
      )}
      <WhenLoaded query={session}>
        {(state) => (
          <>
            <Person user={state.user} hasProvider={state.identities.length > 0} />
            <Identities identities={state.identities} providers={options.data?.providers ?? []} />
            {state.accounts.length > 1 && <Accounts accounts={state.accounts} current={state.account.id} />}
          </>
        )}
      </WhenLoaded>
      <Sessions />
    </Page>
  );
}

interface PersonProps extends Pick<SessionState, 'user'> {
  readonly hasProvider: boolean;
}

function Person({ user: { name, email }, hasProvider }: PersonProps) {
  return (
    <Card title="Name and email">
      <dl class="facts">
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>Email</dt>
        <dd>{email ?? 'not known'}</dd>
      </dl>
      {hasProvider && <p class="quiet">Both come from your identity provider. Change them there.</p>}
    </Card>
  );
}
