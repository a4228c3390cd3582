/** The hosts whose pages are in the sitemaps, and whether crawlers believe the sitemaps about them. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { PageHostRow } from '../../../wire.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask, get } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { counted } from '../../parts/format.ts';
import { WhenLoaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';

const STATES: Readonly<Record<PageHostRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  unchecked: { tone: 'neutral', word: 'Not checked yet' },
  found: { tone: 'good', word: 'Believed' },
  partly: { tone: 'bad', word: 'Believed in part' },
  missing: { tone: 'bad', word: 'Not believed' },
  disallowed: { tone: 'bad', word: 'Crawlers kept out' },
  unreachable: { tone: 'bad', word: 'Not reachable' },
};

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
              <ul class="rows">
                {rows.map((host) => (
                  <Host key={host.origin} host={host} />
                ))}
              </ul>
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

function Host({ host }: { readonly host: PageHostRow }) {
  const { origin, urlCount, state, message, line, checkedAt, nextCheckAt } = host;
  const { tone, word } = STATES[state];
  const needsLine = line !== null && (state === 'missing' || state === 'partly');
  return (
    <li>
      <div class="card-head">
        <h3>{origin}</h3>
        <Chip tone={tone}>{word}</Chip>
      </div>
      {message && state !== 'found' && <p>{message}</p>}
      {needsLine && <Copyable text={line} label={`the line for ${host.robotsUrl}`} />}
      <p class="quiet spread">
        <span>{counted(urlCount, 'URL')}</span>
        <span>
          Checked: <Time at={checkedAt} absent="not yet" />
        </span>
        <span>
          Next check: <Time at={nextCheckAt} />
        </span>
      </p>
    </li>
  );
}
