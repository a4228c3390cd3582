/** The way in: a button for each provider, or a one-time link whose token stands behind the `#`, where no log has it. */
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { SignInOptions } from '../../wire.ts';
import { ask, get } from '../api/request.ts';
import { Mark } from '../parts/mark.tsx';
import { messageOf, WhenLoaded } from '../parts/states.tsx';

/** What `/auth/callback` says in `problem`. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: 'Signing in took more than ten minutes. Begin again.',
  'other-browser': 'This sign-in was begun in another browser, or long ago. Begin again here.',
  'provider-down': 'The identity provider does not answer. Try again in a moment.',
  refused: 'The identity provider did not sign you in.',
  'email-domain': 'Your email address does not belong to the domains that may sign in here.',
  failed: 'Signing in did not work. Begin again.',
};

export function SignIn() {
  const query = new URLSearchParams(location.search);
  const problem = query.get('problem');
  useEffect(() => {
    document.title = 'Sign in · Waypost';
  }, []);
  return (
    <main id="main" class="alone">
      <p class="brand">
        <Mark /> Waypost
      </p>
      <h1>Sign in</h1>
      {problem && (
        <p class="notice notice-bad" role="alert">
          {PROBLEMS[problem] ?? PROBLEMS.failed}
        </p>
      )}
      {location.hash.length > 1 ? <Redeem /> : <Providers returnTo={query.get('return_to')} />}
    </main>
  );
}

function Providers({ returnTo }: { readonly returnTo: string | null }) {
  const options = useQuery({ queryKey: ['sign-in'], queryFn: () => get<SignInOptions>('sign-in') });
  return (
    <WhenLoaded query={options}>
      {({ providers }) =>
        providers.length === 0 ? (
          <p>
            No identity provider is set up. Whoever runs this service gets a link with{' '}
            <code>npm run cli -- sign-in</code>.
          </p>
        ) : (
          <>
            {providers.map(({ id, name }) => (
              <a key={id} class="button primary" href={startAddress(id, returnTo)}>
                Continue with {name}
              </a>
            ))}
          </>
        )
      }
    </WhenLoaded>
  );
}

/** A link and not a form: the policy blocks forms that lead to another origin. */
function startAddress(provider: string, returnTo: string | null): string {
  return `/auth/start?${new URLSearchParams({ provider, ...(returnTo && { return_to: returnTo }) })}`;
}

function Redeem() {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const token = location.hash.slice(1);
    // It works once, and the history of the browser must not have it.
    history.replaceState(null, '', location.pathname);
    ask<{ location: string }>('POST', '/auth/link', { token }).then(
      ({ location: next }) => location.replace(next),
      (error) => setProblem(messageOf(error)),
    );
  }, []);
  if (problem === undefined) return <p role="status">Signing you in …</p>;
  return (
    <>
      <p class="notice notice-bad" role="alert">
        {problem}
      </p>
      <Providers returnTo={null} />
    </>
  );
}
