/**
 * The sign-in page: a link for each provider. If the address has the token of a one-time link after the `#`, the token signs the person in.
 */
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import { justLeft, type Leaving } from '../api/sign-out.ts';
import { useTakenToken } from '../api/taken-token.ts';
import { Alone } from '../parts/alone.tsx';
import { Providers } from '../parts/providers.tsx';
import { messageOf } from '../parts/states.tsx';
import { problemIn } from './problems.ts';

const NEWS: Readonly<Record<Leaving, string>> = {
  'signed out': "You're signed out.",
  'left the account': 'You have left the account, and are signed out.',
};

export function SignIn() {
  const token = useTakenToken();
  const [left] = useState(justLeft);
  const [problem, setProblem] = useState(() => problemIn(location.search));
  const query = new URLSearchParams(location.search);
  const news = left ? NEWS[left] : query.has('ended') ? 'Your session has ended. Sign in again.' : undefined;
  const [isRedeeming, setRedeeming] = useState(token !== '');
  useEffect(() => {
    if (token === '') return;
    ask<{ location: string }>('POST', '/auth/link', { token }).then(
      ({ location: next }) => location.replace(next),
      (error) => {
        setProblem(messageOf(error));
        setRedeeming(false);
      },
    );
  }, [token]);
  return (
    <Alone title="Sign in" problem={problem}>
      {news && !problem && (
        <p class="notice notice-plain" role="status">
          <span>{news}</span>
        </p>
      )}
      {isRedeeming ? <p role="status">Signing you in …</p> : <Providers returnTo={query.get('return_to')} />}
    </Alone>
  );
}
