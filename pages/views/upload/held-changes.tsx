/** The URLs that a held upload would remove. People see them before they publish the upload. */
import { useQuery } from '@tanstack/preact-query';
import type { SitemapChanges } from '../../../client/src/answers.ts';
import { get } from '../../api/request.ts';
import { count } from '../../parts/format.ts';
import { messageOf, waitingText } from '../../parts/states.tsx';
import { Url } from '../../parts/url.tsx';

export interface HeldChangesProps {
  readonly uploadId: string;
  /** The live generation, if the page knows it. For another live generation, the changes are read again. */
  readonly generation?: number | undefined;
}

/** The most removed URLs that are listed. The files to download have all. */
const SHOWN = 8;

export function HeldChanges({ uploadId, generation }: HeldChangesProps) {
  const path = `uploads/${encodeURIComponent(uploadId)}/changes`;
  const { data, error, failureReason } = useQuery({
    queryKey: ['urls', 'held', uploadId, generation],
    queryFn: ({ signal }) => get<SitemapChanges>(path, signal),
    // A comparison reads files, so it runs once. After the publication there is nothing to compare.
    enabled: ({ state }) => state.data === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (error) return <p class="quiet">Which URLs would go isn't known. {messageOf(error)}</p>;
  if (data === undefined) {
    return (
      <p class="quiet" role="status">
        {waitingText(failureReason, 'Comparing it with what crawlers get now …')}
      </p>
    );
  }
  if (data.state !== 'compared') {
    return <p class="quiet">{data.state === 'first' ? 'The sitemap was deleted meanwhile.' : REWRITTEN}</p>;
  }
  return <Changes changes={data} path={path} />;
}

const REWRITTEN = 'An update of Waypost wrote the files of one of them anew, so they are not compared.';

function Changes({ changes, path }: { readonly changes: SitemapChanges; readonly path: string }) {
  const { samples } = changes;
  const [added, changed, removed] = [changes.added ?? 0, changes.changed ?? 0, changes.removed ?? 0];
  const shown = samples.removed.slice(0, SHOWN);
  const download = (form: string) => `/dashboard/api/${path}?form=${form}`;
  return (
    <div class="going">
      <p>
        <strong>{removed === 0 ? 'No URL would go' : `These ${count(removed)} would go:`}</strong>
      </p>
      <ul>
        {shown.map((url) => (
          <li key={url}>
            <Url url={url} />
          </li>
        ))}
      </ul>
      <p class="quiet">
        {removed > shown.length && `and ${count(removed - shown.length)} more. `}
        {added + changed > 0 && `${count(added)} would be new, and ${count(changed)} would change. `}
        <a href={download('csv')} download>
          Download all as CSV
        </a>{' '}
        or{' '}
        <a href={download('ndjson')} download>
          NDJSON
        </a>
      </p>
    </div>
  );
}
