/** The way in: a button for each provider, or a one-time link whose token stands behind the `#`. */
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import { hasJustLeft } from '../api/sign-out.ts';
import { useTakenToken } from '../api/taken-token.ts';
import { Alone } from '../parts/alone.tsx';
import { Providers } from '../parts/providers.tsx';
import { messageOf } from '../parts/states.tsx';
import { problemIn } from './problems.ts';

export function SignIn() {
  const token = useTakenToken();
  const [hasLeft] = useState(hasJustLeft);
  const [problem, setProblem] = useState(() => problemIn(location.search));
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
      {hasLeft && !problem && (
        <p class="notice notice-good" role="status">
          <span>You are signed out.</span>
        </p>
      )}
      {isRedeeming ? (
        <p role="status">Signing you in …</p>
      ) : (
        <Providers returnTo={new URLSearchParams(location.search).get('return_to')} />
      )}
    </Alone>
  );
}
