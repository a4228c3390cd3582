/** The session of this browser, and the address to sign in at. */
import { useQuery } from '@tanstack/preact-query';
import type { SessionState } from '../../src/edges/dashboard/wire.ts';
import { get } from './request.ts';

export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: () => get<SessionState>('session'),
    staleTime: 60_000,
  });
}

/**
 * Returns the address to sign in at. After the sign-in, the person comes back to the given page. `hasEnded`: there was a session until now,
 * and the sign-in page says so.
 */
export function signInAddress(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  hasEnded: boolean,
): string {
  const query = new URLSearchParams({ return_to: pathname + search, ...(hasEnded && { ended: 'yes' }) });
  return `/dashboard/sign-in?${query}`;
}
