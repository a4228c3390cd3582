/** Reads the facts on which the steps of a domain depend. Returns the steps and these facts. */
import { useQuery } from '@tanstack/preact-query';
import type { DomainDetails, FileVisit } from '../../../client/src/answers.ts';
import { domainKey, domainPath, usePageHosts } from '../../api/domain.ts';
import { getPage } from '../../api/request.ts';
import { useNow } from '../../parts/use-now.ts';
import { checklist } from './checklist.ts';

export function useChecklist(domain: DomainDetails) {
  const { id, lastUpdated } = domain;
  const hasUpload = lastUpdated !== null;
  const hosts = usePageHosts(id, { enabled: hasUpload });
  const visits = useQuery({
    queryKey: domainKey(id, 'crawls', 'first'),
    queryFn: async () => (await getPage<FileVisit>(`${domainPath(id, 'crawls')}?limit=100`)).rows,
    enabled: hasUpload,
  });
  const seen = { hosts: hosts.data, visits: visits.data };
  return { ...seen, steps: checklist(domain, seen, useNow()) };
}
