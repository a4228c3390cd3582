/** The links to sign in, one for each identity provider. If there is no provider, a text says how to get a one-time link. */
import { useQuery } from '@tanstack/preact-query';
import { signInQuery } from '../api/queries.ts';
import { WhenLoaded } from './states.tsx';

/** An invitation that the sign-in accepts. */
export interface InvitedBy {
  readonly id: string;
  /** Makes the browser keep this invitation. Another tab may have opened another invitation since. */
  readonly keep: () => Promise<unknown>;
}

interface ProvidersProps {
  /** The address to return to after the sign-in. The default is the overview. */
  readonly returnTo?: string | null | undefined;
  readonly invitation?: InvitedBy | undefined;
}

export function Providers({ returnTo, invitation }: ProvidersProps) {
  const options = useQuery(signInQuery);
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
              <a
                key={id}
                class="button primary full"
                href={startAddress(id, { returnTo, invitation })}
                onClick={invitation && keepFirst(invitation)}
              >
                Continue with {name}
              </a>
            ))}
          </div>
        )
      }
    </WhenLoaded>
  );
}

const keepFirst =
  ({ keep }: InvitedBy) =>
  (event: MouseEvent & { currentTarget: HTMLAnchorElement }) => {
    event.preventDefault();
    const { href } = event.currentTarget;
    // If `keep` fails, the next page says why.
    void keep().finally(() => location.assign(href));
  };

/** Returns the address for the link. A form would not work: the content security policy blocks forms that lead to another origin. */
function startAddress(provider: string, { returnTo, invitation }: ProvidersProps): string {
  const query = {
    provider,
    ...(returnTo && { return_to: returnTo }),
    ...(invitation && { invited: invitation.id }),
  };
  return `/auth/start?${new URLSearchParams(query)}`;
}
