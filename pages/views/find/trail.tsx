/** The events of a URL and its file, the latest first. */
import type { ComponentChildren } from 'preact';
import { counted } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { changesPage } from '../sitemap/sitemap-queries.ts';
import { type FoundPlace, fileNameOf } from './found-place.ts';

interface Step {
  readonly at: string;
  readonly isChange: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Trail({ place }: { readonly place: FoundPlace }) {
  const steps = stepsOf(place).sort((a, b) => b.at.localeCompare(a.at));
  if (steps.length === 0) {
    return (
      <p class="quiet">
        Nothing is known yet. It comes when the upload has been compared, or a crawler was here.
      </p>
    );
  }
  return (
    <ol class="trail">
      {steps.map(({ at, isChange, title, children }) => (
        <li key={`${at} ${title}`} class={isChange ? 'changed' : 'fetched'}>
          <span class="when">
            <Time at={at} />
          </span>
          <div>
            <h3>{title}</h3>
            <p>{children}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function stepsOf(place: FoundPlace): Step[] {
  const { visits, added, changed } = place;
  const steps: Step[] = visits.map(({ crawler, status, lastVisitAt }) => ({
    ...{ at: lastVisitAt, isChange: false },
    title: `${crawler} fetched the file`,
    children: `${fileNameOf(place)}, returned ${status}${status === 304 ? ', unchanged since its last visit' : ''}`,
  }));
  if (changed !== null) {
    steps.push({
      ...{ at: changed.publishedAt, isChange: true, title: 'Changed' },
      children: <Upload place={place} past={changed} kind="changed" what="changed URL" />,
    });
  }
  if (added !== null) {
    steps.push({
      ...{ at: added.publishedAt, isChange: true, title: 'Added' },
      children: <Upload place={place} past={added} kind="added" what="new URL" />,
    });
  }
  return steps;
}

interface UploadProps {
  readonly place: FoundPlace;
  readonly past: NonNullable<FoundPlace['added']>;
  readonly kind: 'added' | 'changed';
  readonly what: string;
}

function Upload({ place: { domainId, sitemapName }, past, kind, what }: UploadProps) {
  const { generation, by, others } = past;
  return (
    <>
      With{' '}
      <a href={changesPage({ domainId, name: sitemapName }, { to: generation }, kind)}>
        version {generation}
      </a>
      {by !== null && ` by ${by}`}
      {others > 0 && `, one of ${counted(others + 1, what)}`}
    </>
  );
}
