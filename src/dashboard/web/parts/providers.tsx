/** The ways in: a link for each identity provider. */
import { useQuery } from '@tanstack/preact-query';
import type { SignInOptions } from '../../wire.ts';
import { get } from '../api/request.ts';
import { WhenLoaded } from './states.tsx';

interface ProvidersProps {
  /** Where to go afterwards. By default, the overview. */
  readonly returnTo?: string | null | undefined;
  /** Accepts the invitation that was looked at. */
  readonly isInvited?: boolean | undefined;
}

export function Providers({ returnTo, isInvited }: ProvidersProps) {
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
              <a key={id} class="button primary full" href={startAddress(id, { returnTo, isInvited })}>
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
function startAddress(provider: string, { returnTo, isInvited }: ProvidersProps): string {
  const query = { provider, ...(returnTo && { return_to: returnTo }), ...(isInvited && { invited: '1' }) };
  return `/auth/start?${new URLSearchParams(query)}`;
}
