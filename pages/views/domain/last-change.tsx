/** What the live generation of a sitemap changed, in numbers. */
import { useQuery } from '@tanstack/preact-query';
import type { SitemapChanges } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { get } from '../../api/request.ts';
import { roundCount } from '../../parts/format.ts';

export function LastChange({ domainId, name }: { readonly domainId: string; readonly name: string }) {
  const { data } = useQuery({
    queryKey: domainKey(domainId, 'sitemaps', name, 'changes'),
    queryFn: () => get<SitemapChanges>(domainPath(domainId, 'sitemaps', name, 'changes')),
  });
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
    <a href={domainPage(domainId, 'sitemaps', name, 'changes')}>
      <span class="unseen">Changes: </span>
      {parts.join(' ')}
    </a>
  );
}
