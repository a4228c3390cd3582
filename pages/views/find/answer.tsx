/** The answer: the URL is in a sitemap, it is in none, it was removed, or it is not found yet. */
import type { ComponentChildren } from 'preact';
import type { FoundUrl } from '../../../client/src/answers.ts';
import { calendarDay, counted } from '../../parts/format.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { changesPage, sitemapPage } from '../sitemap/sitemap-queries.ts';
import { sayLeft } from './look-up.ts';
import { Nears } from './nears.tsx';
import { Place, Places } from './place.tsx';

export interface AnswerProps {
  readonly found: FoundUrl;
  /** The hostname of the searched domain. Empty: all domains. */
  readonly domain: string;
  /** Whether the page looks again by itself. */
  readonly looksAgain: boolean;
}

export function Answer(props: AnswerProps) {
  const { found } = props;
  const [place, ...others] = found.places;
  if (place !== undefined) {
    const isElsewhere = others.some((other) => other.domain !== place.domain);
    return (
      <>
        <Card
          tone="yes"
          icon="done"
          title={
            others.length === 0
              ? `Yes, it's in “${place.sitemapName}”`
              : `Yes, it's in ${counted(found.places.length, 'file')}`
          }
          actions={<Away url={found.url} />}
        >
          On {isElsewhere ? 'your domains' : place.domain}
          {place.added && `, live since ${calendarDay(place.added.publishedAt)}`}
        </Card>
        {others.length > 0 && <Places places={found.places} hasMore={found.hasMore} />}
        <Place place={place} />
      </>
    );
  }
  return <No {...props} />;
}

function No({ found, domain, looksAgain }: AnswerProps) {
  const { complete, near, removed, originUrlCount, url } = found;
  const where = domain === '' ? 'In none of your sitemaps' : `In no sitemap on ${domain}`;
  return (
    <>
      {!complete && (
        <Card
          tone="wait"
          icon="search"
          title={looksAgain ? 'Not found yet' : 'Not found, but not everything was searched'}
        >
          {sayLeft(found, looksAgain, domain)}
        </Card>
      )}
      {removed ? (
        <Card
          tone="no"
          icon="warning"
          title={`No, removed on ${calendarDay(removed.publishedAt)}`}
          foot={
            removed.formerGeneration !== null && (
              <>
                <span>Version {removed.formerGeneration} still has it.</span>
                <a
                  class="button small"
                  href={changesPage(
                    { domainId: removed.domainId, name: removed.sitemapName },
                    { from: removed.formerGeneration, to: removed.generation },
                    'removed',
                  )}
                >
                  Compare {removed.formerGeneration} and {removed.generation}
                </a>
              </>
            )
          }
        >
          In version {removed.generation}
          {removed.by !== null && ` by ${removed.by}`}
          {removed.others > 0 && `, with ${counted(removed.others, 'other URL')}`}. It was in{' '}
          <a href={sitemapPage({ domainId: removed.domainId, name: removed.sitemapName })}>
            {removed.sitemapName}
          </a>{' '}
          on {removed.domain}.
        </Card>
      ) : (
        complete && (
          <Card
            tone="no"
            icon="refused"
            title={near.length > 0 ? 'No, but these are close' : 'No'}
            actions={near.length === 0 && originUrlCount !== 0 && <Away url={url} isOnlyPage />}
          >
            {originUrlCount === 0 && near.length === 0
              ? `${where}. None of them has a URL on ${new URL(url).host}.`
              : `${where}. Only whole URLs are found, letter by letter.`}
          </Card>
        )
      )}
      {near.length > 0 && <Nears near={near} hasMore={found.hasMore} />}
    </>
  );
}

/** Links to the page itself, and to its state at Google. */
function Away({ url, isOnlyPage = false }: { readonly url: string; readonly isOnlyPage?: boolean }) {
  const { origin } = new URL(url);
  const inspection = new URLSearchParams({ resource_id: `${origin}/`, id: url });
  return (
    <>
      <a class="button" href={url} target="_blank" rel="noreferrer">
        Open page <Icon name="outside" />
      </a>
      {!isOnlyPage && (
        <a
          class="button"
          href={`https://search.google.com/search-console/inspect?${inspection}`}
          target="_blank"
          rel="noreferrer"
        >
          Inspect in Search Console <Icon name="outside" />
        </a>
      )}
    </>
  );
}

interface CardProps {
  readonly tone: 'yes' | 'no' | 'wait';
  readonly icon: IconName;
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Card({ tone, icon, title, actions, foot, children }: CardProps) {
  return (
    <section class="card" aria-label={title}>
      <div class={`answer answer-${tone}`}>
        <Icon name={icon} />
        <div role="status">
          <h2>{title}</h2>
          <p class="quiet">{children}</p>
        </div>
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {foot && <div class="card-foot">{foot}</div>}
    </section>
  );
}
