/** The hosts whose pages are in the sitemaps, and whether crawlers believe the sitemaps about them. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { PageHost as PageHostRow } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask, get } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { PageHosts } from './page-hosts.tsx';

/** After somebody has asked for a check. */
const ASK_AGAIN_MS = 3000;

export function PageHostsCard({ domainId }: { readonly domainId: string }) {
  const [askedAt, setAskedAt] = useState<number>();
  const client = useQueryClient();
  const hosts = useQuery({
    queryKey: domainKey(domainId, 'page-hosts'),
    queryFn: () => get<readonly PageHostRow[]>(domainPath(domainId, 'page-hosts')),
    refetchInterval: ({ state }) => (isUnderWay(state.data, askedAt) ? ASK_AGAIN_MS : false),
  });
  const check = async () => {
    await ask('POST', domainPath(domainId, 'page-hosts', 'check'));
    setAskedAt(Date.now());
    announce('The checks have begun. Their results come here.');
    await client.invalidateQueries({ queryKey: domainKey(domainId, 'page-hosts') });
  };
  const isWaiting = isUnderWay(hosts.data, askedAt);
  return (
    <Card title="Hosts of your pages">
      <p>
        Crawlers take pages of another host from a sitemap only if the robots.txt of that host names it. One
        line in there is enough for all sitemaps of this domain.
      </p>
      <WhenLoaded query={hosts}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet">The hosts come here with the first upload.</p>
          ) : (
            <>
              <PageHosts hosts={rows} />
              <div class="buttons">
                <Action work={check}>Check all now</Action>
                {isWaiting && <span role="status">Checking …</span>}
              </div>
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

/** For a minute, or until all of them are checked. */
function isUnderWay(hosts: readonly PageHostRow[] | undefined, askedAt: number | undefined): boolean {
  if (hosts === undefined || askedAt === undefined || Date.now() - askedAt > 60_000) return false;
  // Times of the service have whole seconds, and its clock is its own.
  return hosts.some(({ checkedAt }) => checkedAt === null || new Date(checkedAt).getTime() < askedAt - 2000);
}
