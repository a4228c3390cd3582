/** The ways in: a link for each identity provider. */
import { useQuery } from '@tanstack/preact-query';
import type { SignInOptions } from '../../wire.ts';
import { get } from '../api/request.ts';
import { WhenLoaded } from './states.tsx';

/** `returnTo`: where to go afterwards; null: the overview. */
export function Providers({ returnTo }: { readonly returnTo: string | null }) {
  const options = useQuery({ queryKey: ['sign-in'], queryFn: () => get<SignInOptions>('sign-in') });
  return (
    <WhenLoaded query={options}>
      {({ providers }) =>
        providers.length === 0 ? (
          <div class="lines">
            <p>This service has no identity provider. You sign in with a one-time link.</p>
            <p class="quiet">
              Whoever runs it makes one with <code class="nowrap">npm run cli -- sign-in</code>
            </p>
          </div>
        ) : (
          <div class="lines">
            {providers.map(({ id, name }) => (
              <a key={id} class="button primary full" href={startAddress(id, returnTo)}>
                Continue with {name}
              </a>
            ))}
          </div>
        )
      }
    </WhenLoaded>
  );
}

/** A link and not a form: the policy blocks forms that lead to another origin. */
function startAddress(provider: string, returnTo: string | null): string {
  return `/auth/start?${new URLSearchParams({ provider, ...(returnTo && { return_to: returnTo }) })}`;
}
