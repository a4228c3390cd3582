/** Whose session it is. */
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

/** Where a person without a session goes, to come back here afterwards. */
export function signInAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  return `/dashboard/sign-in?return_to=${encodeURIComponent(pathname + search)}`;
}
