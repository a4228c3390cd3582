/**
 * The needs of an account or domain, the most urgent first. Each has a link to the page where it is mended. The title and the detail come
 * from the service.
 */
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Need, Needs } from '../../../client/src/answers.ts';
import { get } from '../../api/request.ts';
import { Card } from '../card.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { useNow } from '../use-now.ts';
import { needPlace } from './need-place.ts';
import { needTime } from './need-time.ts';

/** Some causes, like robots.txt, change nothing that `live.ts` notices. So the page reads the needs again after this time. */
const EVERY_MS = 60_000;

/** Reads the needs of the account, or those of one domain. */
export function useNeeds(domainId?: string) {
  return useQuery({
    queryKey: ['needs', domainId],
    queryFn: () => get<Needs>(domainId === undefined ? 'needs' : `needs?domain=${domainId}`),
    refetchInterval: EVERY_MS,
  });
}

const FIRST = 5;

/** Shows nothing if there are no needs. */
export function NeedsList({ needs }: { readonly needs: Needs }) {
  const [isWhole, setWhole] = useState(false);
  if (needs.needs.length === 0) return null;
  const shown = isWhole ? needs.needs : needs.needs.slice(0, FIRST);
  const left = needs.needs.length - shown.length;
  const beyond = needs.total - needs.needs.length;
  return (
    <Card
      title="Needs you"
      count={needs.total}
      foot={
        left > 0 ? (
          <button type="button" class="plain" onClick={() => setWhole(true)}>
            Show {left} more
          </button>
        ) : (
          isWhole &&
          beyond > 0 && (
            <span>
              The {needs.needs.length} most urgent of {needs.total}
            </span>
          )
        )
      }
    >
      <ul class="needs">
        {shown.map((need, i) => (
          <NeedRow key={keyOf(need)} need={need} isFirst={i === 0} />
        ))}
      </ul>
    </Card>
  );
}

const keyOf = ({ kind, domain, sitemapName }: Need) => `${kind} ${domain?.id} ${sitemapName}`;

function NeedRow({ need, isFirst }: { readonly need: Need; readonly isFirst: boolean }) {
  const { href, word } = needPlace(need);
  const now = useNow();
  return (
    <li>
      <span class={`state-${need.severity}`}>
        <Icon name={ICONS[need.kind] ?? 'warning'} />
      </span>
      <div>
        <h3>{need.title}</h3>
        <p>{need.detail}</p>
      </div>
      <p class="when">{needTime(need, now)}</p>
      <a
        class={isFirst ? 'button small primary' : 'button small'}
        href={href}
        aria-label={`${word}: ${need.title}`}
      >
        {word}
      </a>
    </li>
  );
}

/** The drawings of the needs. All other kinds, also those that only a newer service knows, have the warning sign. */
const ICONS: Readonly<Partial<Record<string, IconName>>> = {
  heldUpload: 'held',
  robotsUnreadable: 'blocked',
  robotsBlocks: 'blocked',
  robotsLineMissing: 'blocked',
  dns: 'globe',
  hostnameTaken: 'globe',
  certificate: 'lock',
  uploadsRefused: 'refused',
  scheduleFailing: 'refused',
  planDomains: 'chart',
  planUrls: 'chart',
  planStorage: 'chart',
};
