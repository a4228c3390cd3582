/**
 * What the pages ask about one domain. All its queries have keys below one, so one word renews them together.
 */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { DomainDetails, PageHost } from '../../client/src/answers.ts';
import { get } from './request.ts';

export const domainKey = (id: string, ...below: readonly string[]) => ['domain', id, ...below];

/** Below /dashboard/api/. Names come from the address bar, so they are encoded. */
export const domainPath = (id: string, ...below: readonly string[]) =>
  ['domains', id, ...below].map(encodeURIComponent).join('/');

/** The address of a page of the dashboard. */
export const domainPage = (id: string, ...below: readonly string[]) =>
  `/dashboard/${domainPath(id, ...below)}`;

/** The service looks for the DNS record of a pending domain by itself. */
const PENDING_EVERY_MS = 5000;

export function useDomain(id: string) {
  return useQuery({
    queryKey: domainKey(id),
    queryFn: () => get<DomainDetails>(domainPath(id)),
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending_verification' ? PENDING_EVERY_MS : false,
  });
}

interface HostsQuery {
  readonly enabled?: boolean;
  /** Reads them again, until this is false of what was read. */
  readonly waits?: (hosts: readonly PageHost[] | undefined) => boolean;
}

/** While a page waits for a check. */
const ASK_AGAIN_MS = 3000;

export function usePageHosts(id: string, { enabled = true, waits = () => false }: HostsQuery = {}) {
  return useQuery({
    queryKey: domainKey(id, 'page-hosts'),
    queryFn: () => get<readonly PageHost[]>(domainPath(id, 'page-hosts')),
    enabled,
    refetchInterval: ({ state }) => (waits(state.data) ? ASK_AGAIN_MS : false),
  });
}

/** After a change: all pages read the domain again, and the lists that show it. */
export function useRenewDomain(id: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: domainKey(id) }),
      client.invalidateQueries({ queryKey: ['domains'] }),
      client.invalidateQueries({ queryKey: ['overview'] }),
    ]);
  };
}
