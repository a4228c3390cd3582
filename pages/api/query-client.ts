/** The cache of the answers that pages have read, and the rules for reading again after a failure. */
import { QueryCache, QueryClient } from '@tanstack/preact-query';
import { atMost } from './at-most.ts';
import { connection, tellUnreachable } from './connection.ts';
import { ApiError } from './request.ts';
import { onSwitched } from './shown-account.ts';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Whether the same request may succeed later: after a failure of the network, an overload (429) or a fault of the service. After any other
 * refusal, Waypost refuses again.
 */
function passes(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The longest wait for the answers of `invalidateQueries`. */
const RENEWING_MS = 5000;

/**
 * Buttons and dialogs wait until the page shows what they have changed. A read that fails is repeated for as long as it fails, and must not
 * hold up a button whose change is done.
 */
class Client extends QueryClient {
  override async invalidateQueries(...given: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    await atMost(super.invalidateQueries(...given), RENEWING_MS);
  }
}

export const queryClient: QueryClient = new Client({
  queryCache: new QueryCache({
    // A session may end at any time. The shell reads it again, and then leads to the sign-in.
    onError: (error, { queryKey }) => {
      const isSignedOut = error instanceof ApiError && error.status === 401;
      if (isSignedOut && queryKey[0] !== 'session')
        void queryClient.invalidateQueries({ queryKey: ['session'] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 1000,
      // Browsers are often wrong about being online: behind a dead router they say yes, and with a VPN they may say no.
      networkMode: 'always',
      retry: (_failures, error) => passes(error),
      retryDelay: (failures) => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures),
    },
  },
});

onSwitched(() => void queryClient.invalidateQueries({ queryKey: ['session'] }));

/**
 * Reads again at once when the network is back or the tab is shown again, if Waypost was out of reach. Also notes when the browser goes
 * offline. Returns a function that stops both.
 */
export function healWhenSeen(): () => void {
  const heal = () => {
    if (connection.value().isConnected || document.visibilityState === 'hidden') return;
    void queryClient.refetchQueries({ type: 'active' }, { cancelRefetch: true });
  };
  addEventListener('online', heal);
  addEventListener('offline', tellUnreachable);
  document.addEventListener('visibilitychange', heal);
  return () => {
    removeEventListener('online', heal);
    removeEventListener('offline', tellUnreachable);
    document.removeEventListener('visibilitychange', heal);
  };
}
