/** Asks for a check of the robots.txt of all page hosts, and waits for the results. */
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { PageHost } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';

/** The time between two reads after a person has asked for a check. */
const ASK_AGAIN_MS = 3000;
/**
 * The longest wait for the results. Waypost reads the robots.txt of an origin at most once a minute, so a check may begin a minute after
 * the request.
 */
const WAIT_MS = 90_000;

/**
 * The time of the last check of each host before a person asked for another one, by the origin of the host. Null: the host was never
 * checked.
 */
type Asked = ReadonlyMap<string, string | null>;

export function useCheckHosts(domainId: string, hosts: readonly PageHost[] | undefined) {
  const [asked, setAsked] = useState<Asked>();
  const client = useQueryClient();
  const renew = () => client.invalidateQueries({ queryKey: domainKey(domainId, 'page-hosts') });
  const isWaiting = isUnderWay(hosts, asked);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void renew(), ASK_AGAIN_MS);
    const end = setTimeout(() => setAsked(undefined), WAIT_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
    };
  }, [isWaiting, domainId]);
  const check = async () => {
    await ask('POST', domainPath(domainId, 'page-hosts', 'check'));
    setAsked(new Map(hosts?.map(({ origin, checkedAt }) => [origin, checkedAt])));
    announce('The checks have begun. Their results come here.');
    await renew();
  };
  return { check, isWaiting };
}

/** Returns whether a host was not checked since the person asked. */
function isUnderWay(hosts: readonly PageHost[] | undefined, asked: Asked | undefined): boolean {
  return hosts?.some(({ origin, checkedAt }) => asked?.get(origin) === checkedAt) ?? false;
}
