/** The changes of the live generation of a sitemap, in numbers. */
import { roundCount } from '../../parts/format.ts';
import { changesPage, type SitemapId, useLastChanges } from '../sitemap/sitemap-queries.ts';

export function LastChange(sitemap: SitemapId) {
  const { data } = useLastChanges(sitemap);
  if (data === undefined) return <span class="quiet">…</span>;
  if (data.state !== 'compared') return <span class="quiet">{data.state === 'first' ? 'New' : '–'}</span>;
  const { added, changed, removed } = data;
  const parts = [
    added && `+${roundCount(added)}`,
    changed && `${roundCount(changed)} changed`,
    removed && `−${roundCount(removed)}`,
  ].filter(Boolean);
  if (parts.length === 0) return <span class="quiet">None</span>;
  return (
    <a href={changesPage(sitemap, {})}>
      <span class="unseen">Changes: </span>
      {parts.join(', ')}
    </a>
  );
}
