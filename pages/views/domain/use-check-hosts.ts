/** Has the robots.txt of all page hosts checked now, and waits for what comes of it. */
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { PageHost } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';

/** After somebody has asked for a check. */
const ASK_AGAIN_MS = 3000;
const WAIT_MS = 60_000;

export function useCheckHosts(domainId: string, hosts: readonly PageHost[] | undefined) {
  const [askedAt, setAskedAt] = useState<number>();
  const client = useQueryClient();
  const renew = () => client.invalidateQueries({ queryKey: domainKey(domainId, 'page-hosts') });
  const isWaiting = isUnderWay(hosts, askedAt);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void renew(), ASK_AGAIN_MS);
    const end = setTimeout(() => setAskedAt(undefined), WAIT_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
    };
  }, [isWaiting, domainId]);
  const check = async () => {
    await ask('POST', domainPath(domainId, 'page-hosts', 'check'));
    setAskedAt(Date.now());
    announce('The checks have begun. Their results come here.');
    await renew();
  };
  return { check, isWaiting };
}

/** Whether a host has not been checked since `askedAt`. */
function isUnderWay(hosts: readonly PageHost[] | undefined, askedAt: number | undefined): boolean {
  if (hosts === undefined || askedAt === undefined) return false;
  // Times of the service have whole seconds, and its clock is its own.
  return hosts.some(({ checkedAt }) => checkedAt === null || Date.parse(checkedAt) < askedAt - 2000);
}
