/**
 * The queries about one domain, and the addresses of its pages. All keys begin with `domain` and the id, so one call can renew all of them.
 */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { DomainDetails, PageHost, Sitemap } from '../../client/src/answers.ts';
import { ApiError, get } from './request.ts';
import { useRows } from './rows.ts';

export const domainKey = (id: string, ...below: readonly string[]) => ['domain', id, ...below];

/** Returns a path below /dashboard/api/. Its parts are encoded, because names come from the address bar. */
export const domainPath = (id: string, ...below: readonly string[]) =>
  ['domains', id, ...below].map(encodeURIComponent).join('/');

export const domainPage = (id: string, ...below: readonly string[]) =>
  `/dashboard/${domainPath(id, ...below)}`;

/** The time between two reads of a pending domain. The service checks the DNS records of such a domain automatically. */
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

/** `id`: undefined while no domain is chosen. Then nothing is read. `search`: only sitemaps whose name contains this text. */
export function useSitemaps(id: string | undefined, search = '') {
  const path = `${domainPath(id ?? '', 'sitemaps')}?limit=100${search && `&search=${encodeURIComponent(search)}`}`;
  return useRows<Sitemap>(domainKey(id ?? '', 'sitemaps', '', search), path, id !== undefined);
}

/**
 * Reads a sitemap by its name. Null: there is none. Undefined while it is not known. The list has only the first sitemaps of many, so one
 * that may be behind them is asked for. `id`: undefined while no domain is chosen.
 */
export function useSitemap(id: string | undefined, name: string): Sitemap | null | undefined {
  const { list, rows } = useSitemaps(id);
  const listed = rows.find((one) => one.name === name);
  const isBeyond = listed === undefined && list.hasNextPage;
  const { data } = useQuery({
    queryKey: domainKey(id ?? '', 'sitemaps', name, 'if any'),
    queryFn: () => get<Sitemap>(domainPath(id ?? '', 'sitemaps', name)).catch(noneIfAbsent),
    enabled: isBeyond,
  });
  if (isBeyond) return data;
  return listed ?? (list.data && null);
}

function noneIfAbsent(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

interface HostsQuery {
  readonly enabled?: boolean;
  /** Whether to read the hosts again. They are read again and again until this returns false. */
  readonly waits?: (hosts: readonly PageHost[] | undefined) => boolean;
}

/** The time between two reads while `waits` returns true. */
const ASK_AGAIN_MS = 3000;

export function usePageHosts(id: string, { enabled = true, waits = () => false }: HostsQuery = {}) {
  return useQuery({
    queryKey: domainKey(id, 'page-hosts'),
    queryFn: () => get<readonly PageHost[]>(domainPath(id, 'page-hosts')),
    enabled,
    refetchInterval: ({ state }) => (waits(state.data) ? ASK_AGAIN_MS : false),
  });
}

/**
 * Returns a function to call after a change of the domain. The pages then read the domain again, and the lists of domains, the overview and
 * the needs. The function waits for these reads.
 */
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
