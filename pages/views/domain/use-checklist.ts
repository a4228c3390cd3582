/** Reads the facts on which the steps of a domain depend. Returns the steps and these facts. */
import { useQuery } from '@tanstack/preact-query';
import type { DomainDetails, FileVisit } from '../../../client/src/answers.ts';
import { domainKey, domainPath, usePageHosts } from '../../api/domain.ts';
import { getPage } from '../../api/request.ts';
import { useNow } from '../../parts/use-now.ts';
import { checklist } from './checklist.ts';
import { readVisits } from './last-visit.ts';

export function useChecklist(domain: DomainDetails) {
  const { id, lastUpdated } = domain;
  const hasUpload = lastUpdated !== null;
  const hosts = usePageHosts(id, { enabled: hasUpload });
  const visits = useQuery({
    queryKey: domainKey(id, 'crawls', 'first'),
    queryFn: () => readVisits(domainPath(id, 'crawls'), getPage<FileVisit>),
    enabled: hasUpload,
  });
  const steps = checklist(domain, { hosts: hosts.data, visits: visits.data?.rows }, useNow());
  return { hosts: hosts.data, visits: visits.data, steps };
}
