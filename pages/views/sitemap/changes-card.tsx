/** The changes of the live generation since the last generation that was compared before it. */
import type { SitemapChanges } from '../../../client/src/answers.ts';
import { Card } from '../../parts/card.tsx';
import { count } from '../../parts/format.ts';
import { WhenLoaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { changesPage, type SitemapId, useLastChanges } from './sitemap-queries.ts';

const WITHOUT_COUNTS = {
  pending: 'The live version is being compared with the one before. The result will appear here.',
  first: 'This is the first upload of this sitemap, so all of its URLs are new.',
  unknown: 'The upload before is no longer there, so it is not known what has changed.',
  rewritten: 'An update of Waypost wrote all files anew. You changed nothing, so nothing is compared.',
};

const KINDS = [
  { kind: 'added', name: 'Added' },
  { kind: 'changed', name: 'Changed' },
  { kind: 'removed', name: 'Removed' },
] as const;

export function ChangesCard({ sitemap }: { readonly sitemap: SitemapId }) {
  const changes = useLastChanges(sitemap, (found) => found?.state === 'pending');
  const comparedAt = changes.data?.comparedAt ?? null;
  return (
    <Card
      title="What changed last"
      foot={
        changes.data?.state === 'compared' && (
          <a href={changesPage(sitemap, {})}>See all, or compare others</a>
        )
      }
      aside={
        changes.data?.state === 'compared' && (
          <>
            compared <Time at={comparedAt} />
          </>
        )
      }
    >
      <WhenLoaded query={changes}>
        {(found) =>
          found.state === 'compared' ? <Counts changes={found} /> : <p>{WITHOUT_COUNTS[found.state]}</p>
        }
      </WhenLoaded>
    </Card>
  );
}

function Counts({ changes }: { readonly changes: SitemapChanges }) {
  if (KINDS.every(({ kind }) => changes[kind] === 0)) return <p>Nothing: all URLs are as they were.</p>;
  return (
    <>
      <dl class="counts">
        {KINDS.map(({ kind, name }) => (
          <div key={kind}>
            <dt>{name}</dt>
            <dd>{count(changes[kind] ?? 0)}</dd>
          </div>
        ))}
      </dl>
      {KINDS.map(({ kind, name }) => (
        <Samples key={kind} name={name} urls={changes.samples[kind]} total={changes[kind] ?? 0} />
      ))}
    </>
  );
}

interface SamplesProps {
  readonly name: string;
  readonly urls: readonly string[];
  readonly total: number;
}

function Samples({ name, urls, total }: SamplesProps) {
  if (urls.length === 0) return null;
  const which = urls.length < total ? `${urls.length} of ${count(total)}` : count(total);
  return (
    <details>
      <summary>
        {name}: show {which}
      </summary>
      <ul class="urls">
        {urls.map((url) => (
          <li key={url}>{url}</li>
        ))}
      </ul>
    </details>
  );
}
