/** The queries about one domain. Their keys begin alike, so one word renews all of them. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { DomainDetails, PageHost, Sitemap } from '../../client/src/answers.ts';
import { get } from './request.ts';
import { useRows } from './rows.ts';

export const domainKey = (id: string, ...below: readonly string[]) => ['domain', id, ...below];

/** Below /dashboard/api/. Names come from the address bar, so they are encoded. */
export const domainPath = (id: string, ...below: readonly string[]) =>
  ['domains', id, ...below].map(encodeURIComponent).join('/');

/** The address of a page of the dashboard. */
export const domainPage = (id: string, ...below: readonly string[]) =>
  `/dashboard/${domainPath(id, ...below)}`;

/** The service looks for the DNS record of a pending domain by itself. */
const PENDING_EVERY_MS = 5000;

export const domainQuery = (id: string) => ({
  queryKey: domainKey(id),
  queryFn: () => get<DomainDetails>(domainPath(id)),
});

export function useDomain(id: string) {
  return useQuery({
    ...domainQuery(id),
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending_verification' ? PENDING_EVERY_MS : false,
  });
}

/** Undefined: no domain is chosen yet. */
export function useSitemaps(id: string | undefined) {
  const path = `${domainPath(id ?? '', 'sitemaps')}?limit=100`;
  return useRows<Sitemap>(domainKey(id ?? '', 'sitemaps'), path, id !== undefined);
}

interface HostsQuery {
  readonly enabled?: boolean;
  /** Whether the hosts must be read again. They are read until this is false. */
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

/** Returns a function for use after a change: all pages read the domain again, and all lists that show it. */
export function useRenewDomain(id: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: domainKey(id) }),
      client.invalidateQueries({ queryKey: ['domains'] }),
      client.invalidateQueries({ queryKey: ['overview'] }),
      client.invalidateQueries({ queryKey: ['needs'] }),
    ]);
  };
}
